terraform import 'multicluster_member.fleet["kube02"]' kube02
