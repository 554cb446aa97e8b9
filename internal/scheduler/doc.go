// Package scheduler decides where an object goes: which policy wins it (Match), which members may hold it and how many
// replicas each gets (Schedule), and when it has to leave a member (StayOn, Evict, Assess). The last is for failover, which
// no plan does yet.
//
// Schedule is a pipeline of plain functions, Karmada's own steps: filter the members, rank them, select among them by
// spread constraints, divide the replicas. Nothing is remembered between calls: what an earlier run decided comes in as
// Previous, and the time as an argument. The same request gives the same answer, in whatever order members and policies
// are listed.
//
// Answers are those of Karmada 1.19 except where its hidden history or silent losses would make a plan surprising:
//   - static weights are divided anew each time, among the members that the spread constraints select;
//   - a member with an untolerated taint keeps at most the replicas it has;
//   - clusterAffinities are tried from the first group each time, unless Request.KeepGroup is set;
//   - an unset maxGroups is no limit, and zone and provider constraints select like region ones;
//   - an object with 0 replicas stays on all its members;
//   - sorting is stable, and sums are 64 bits wide;
//   - a member of which nothing was observed is not a full one.
package scheduler
