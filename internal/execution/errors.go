package execution

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicluster/terraform-provider-multicluster/internal/manifest"
	"github.com/multicluster/terraform-provider-multicluster/internal/member"
)

// Reason says what kind of refusal an ObjectError is.
type Reason string

// The values of Reason.
const (
	// ReasonImmutable: nothing but fields that cannot change in place stands against the update.
	ReasonImmutable Reason = "immutable"

	// ReasonMalformed: a field that the kind does not know, or a value of a wrong type.
	ReasonMalformed Reason = "malformed"

	// ReasonInvalid: the member's validation.
	ReasonInvalid Reason = "invalid"

	// ReasonNamespaceMissing: the object's namespace does not exist.
	ReasonNamespaceMissing Reason = "namespace missing"

	// ReasonForbidden: the credentials do not allow it.
	ReasonForbidden Reason = "forbidden"

	// ReasonQuota: a ResourceQuota of the object's namespace leaves no room for it.
	ReasonQuota Reason = "quota"

	// ReasonDenied: other admission on the member, such as a webhook or a policy.
	ReasonDenied Reason = "denied"

	// ReasonUnserved: the member does not serve the kind.
	ReasonUnserved Reason = "unserved"

	// ReasonUnmanaged: the object exists and belongs to no propagation.
	ReasonUnmanaged Reason = "unmanaged"

	// ReasonTaken: the object belongs to another propagation, or to another state of this one.
	ReasonTaken Reason = "taken"

	// ReasonStuck: the object was deleted and does not go away.
	ReasonStuck Reason = "stuck"

	// ReasonOther is everything else.
	ReasonOther Reason = "other"
)

// ObjectError says what went wrong with one object on one member, and what to do next.
type ObjectError struct {
	Member string
	Key    manifest.Key
	Reason Reason

	// Fields are the paths that the member complains of.
	Fields []string

	// Text says what is wrong. It holds no value of a sensitive object. Advice says what to do next; it may be empty.
	Text   string
	Advice string

	err error
}

// Final reports whether the member will never take the object as it is, whatever else changes.
func (e *ObjectError) Final() bool {
	return e.Reason == ReasonMalformed || e.Reason == ReasonInvalid || e.Reason == ReasonImmutable
}

// Error returns member, object, what is wrong, and what to do next.
func (e *ObjectError) Error() string {
	text := fmt.Sprintf("member %s: %s: %s", e.Member, e.Key, e.Text)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Unwrap returns the member's status, or nil where its text may hold sensitive values.
func (e *ObjectError) Unwrap() error { return e.err }

// checkScope returns an error when the object names a namespace and its kind has none on the member, or the other way.
func checkScope(name string, key manifest.Key, resource member.Resource) error {
	e := &ObjectError{Member: name, Key: key, Reason: ReasonInvalid, Fields: []string{"metadata.namespace"}}
	switch {
	case resource.Namespaced && key.Namespace == "":
		e.Text, e.Advice = "objects of this kind live in a namespace, and this one names none", "set metadata.namespace"
	case !resource.Namespaced && key.Namespace != "":
		e.Text, e.Advice = "objects of this kind live in no namespace, and this one names one", "leave metadata.namespace out"
	default:
		return nil
	}
	return e
}

// BlockedError says that an object waits for another one that is not there, or not gone.
type BlockedError struct {
	Member string
	Key    manifest.Key
	By     manifest.Key
}

// Error returns member, object, and what it waits for.
func (e *BlockedError) Error() string {
	return fmt.Sprintf("member %s: %s waits for %s, which failed", e.Member, e.Key, e.By)
}

var (
	quotedName  = regexp.MustCompile(`webhook "([^"]+)"`)
	deniedVerb  = regexp.MustCompile(`cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]*)")?`)
	overQuota   = regexp.MustCompile(`is forbidden: (exceeded quota: [\w.-]+(?:, (?:requested|used|limited): [\w./:=,-]+)+)$`)
	unchanging  = regexp.MustCompile(`(?i)immutable|may not change|may not be changed|cannot change|cannot be changed|updates to statefulset spec for fields other than`)
	wrongField  = regexp.MustCompile(`\): (\.\S+|\S+): (field not declared in schema|expected (string|numeric|boolean|list|map)\b)`)
	givenTwice  = regexp.MustCompile(`\s\.(\S+): duplicate entries for key (\[[^\]]*\])`)
	valueInPath = regexp.MustCompile(`\[[^\]]*="[^\]]*\]`)
	bigValue    = regexp.MustCompile(`(?s)^Invalid value: .{120,}: ([^:{}"]+)$`)
	anonymous   = `User "system:anonymous"`
	noSuchField = "field not declared in schema"
)

// explain turns the error of a request for an object into one that says what to do. The text of the member's answer is
// left out where the object is sensitive, but for what cannot hold a value.
func explain(key manifest.Key, sensitive bool, err error) error {
	var request *member.RequestError
	var status *apierrors.StatusError
	if !errors.As(err, &request) || !errors.As(request.Err, &status) {
		return err
	}
	e := &ObjectError{Member: request.Member, Key: key, err: err}
	e.describe(status.ErrStatus, err)
	if sensitive {
		e.err = nil
		e.redact(status.ErrStatus)
	}
	return e
}

// describe fills in reason, fields, text and advice.
func (e *ObjectError) describe(status metav1.Status, err error) {
	e.Reason, e.Text = ReasonOther, brief(status.Message)
	switch {
	case member.IsMalformed(err):
		e.describeMalformed(status)
	case apierrors.IsNotFound(err) && status.Details != nil && status.Details.Kind == "namespaces":
		e.Reason = ReasonNamespaceMissing
		e.Text = fmt.Sprintf("namespace %s does not exist", status.Details.Name)
		e.Advice = "add a Namespace to templates, or give this propagation depends_on with what creates it"
	case apierrors.IsForbidden(err):
		e.describeForbidden(status)
	case apierrors.IsInvalid(err) && status.Details != nil:
		e.describeInvalid(status)
	case quotedName.MatchString(status.Message):
		e.Reason = ReasonDenied
		if strings.Contains(status.Message, "failed calling webhook") {
			e.Advice = fmt.Sprintf("look at what serves the webhook %s on the member", quotedName.FindStringSubmatch(status.Message)[1])
		}
	case apierrors.IsConflict(err):
		e.Advice = "somebody else is changing it at the same time: apply again"
	case apierrors.IsUnauthorized(err):
		e.Reason, e.Advice = ReasonForbidden, "the credentials of the connection expired or were withdrawn"
	}
}

func (e *ObjectError) describeMalformed(status metav1.Status) {
	e.Reason = ReasonMalformed
	_, after, found := strings.Cut(status.Message, "): ")
	if found {
		e.Text = brief(after)
	}
	if match := givenTwice.FindStringSubmatch(status.Message); match != nil {
		item := match[2]
		if strings.HasPrefix(item, "[=") { // of a list of values
			item = "a value"
		}
		e.Fields = []string{match[1]}
		e.Text, e.Advice = fmt.Sprintf("%s: %s is given twice", match[1], item), "remove one, in the template or in the override that adds it"
		return
	}
	match := wrongField.FindStringSubmatch(status.Message)
	if match == nil {
		return
	}
	e.Fields = []string{strings.TrimPrefix(match[1], ".")}
	if match[2] == noSuchField {
		e.Text = fmt.Sprintf("%s: the kind has no such field in apiVersion as this member serves it", e.Fields[0])
		e.Advice = "check the spelling and the apiVersion"
		return
	}
	_, shown, _ := strings.Cut(status.Message, match[2])
	want, kind := wantedKinds[match[3]], foundKind(shown)
	e.Text = fmt.Sprintf("%s: want %s, found %s", e.Fields[0], want, kind)
	if want == kindText && (kind == kindNumber || kind == kindBoolean) {
		e.Advice = "quote it"
	}
}

func (e *ObjectError) describeForbidden(status metav1.Status) {
	e.Reason = ReasonDenied
	if strings.Contains(status.Message, "because it is being terminated") {
		e.Reason = ReasonStuck
		e.Text = fmt.Sprintf("namespace %s is being deleted and takes nothing new", e.Key.Namespace)
		e.Advice = "wait until the namespace is gone"
		return
	}
	if match := overQuota.FindStringSubmatch(status.Message); match != nil {
		e.Reason, e.Text, e.Advice = ReasonQuota, match[1], "make room in the namespace, or raise the quota"
		return
	}
	match := deniedVerb.FindStringSubmatch(status.Message)
	if match == nil {
		return
	}
	e.Reason = ReasonForbidden
	what := match[2]
	if match[3] != "" {
		what += "." + match[3]
	}
	e.Advice = fmt.Sprintf("allow the connection's user to %s %s", match[1], what)
	if match[4] != "" {
		e.Advice += " in namespace " + match[4]
	}
	if strings.Contains(status.Message, anonymous) {
		e.Advice = "the member takes no notice of the credentials: check the connection"
	}
}

func (e *ObjectError) describeInvalid(status metav1.Status) {
	e.Reason = ReasonInvalid
	immutable := len(status.Details.Causes) > 0
	var texts []string
	for _, cause := range status.Details.Causes {
		if cause.Field != "" && !slices.Contains(e.Fields, cause.Field) {
			e.Fields = append(e.Fields, cause.Field)
		}
		if text := cause.Field + ": " + brief(cause.Message); cause.Field != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		immutable = immutable && cause.Field != "" && unchanging.MatchString(cause.Message)
	}
	if len(texts) > 0 {
		e.Text = strings.Join(texts, "; ")
	}
	if immutable {
		e.Reason = ReasonImmutable
		e.Advice = immutableAdvice(e.Key)
	}
}

// immutableAdvice says what to do about a field that cannot change, and what else comes of it.
func immutableAdvice(key manifest.Key) string {
	const advice = "the field cannot change in place: give the object another name, or delete it on the member and apply again"
	switch key.GroupKind() {
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return "a claim cannot change in place: restore the field, or give the claim another name"
	case schema.GroupKind{Group: "apps", Kind: "StatefulSet"}:
		return advice + "; deleting it ends its Pods, unless kubectl delete --cascade=orphan leaves them to the new one"
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}, schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, schema.GroupKind{Group: "batch", Kind: "Job"}:
		return advice + "; deleting it ends its Pods"
	}
	return advice
}

// redact replaces the text by what holds no value: kinds of errors, fields, and names of webhooks.
func (e *ObjectError) redact(status metav1.Status) {
	for i, field := range e.Fields { // items are named by their content
		e.Fields[i] = valueInPath.ReplaceAllString(field, "[...]")
	}
	e.Text = valueInPath.ReplaceAllString(e.Text, "[...]")
	switch e.Reason {
	case ReasonNamespaceMissing, ReasonForbidden, ReasonStuck, ReasonQuota:
		return // said before the content was looked at, or of its size only
	case ReasonMalformed:
		if len(e.Fields) > 0 {
			return // the text is our own
		}
		e.Text = "it does not fit its kind"
		if strings.Contains(status.Message, "illegal base64 data") {
			e.Text, e.Advice = "data is not base64", "put plain text into stringData"
		}
	case ReasonImmutable:
		e.Text = strings.Join(e.Fields, ", ") + ": cannot change in place"
	default:
		e.Text = fmt.Sprintf("the member refused it with %d %s", status.Code, status.Reason)
		if match := quotedName.FindStringSubmatch(status.Message); match != nil {
			e.Text += ", webhook " + match[1]
		}
		if len(e.Fields) > 0 {
			e.Text += ", at " + strings.Join(e.Fields, ", ")
		}
		e.Advice = "the member's own words are left out, for they may quote the content"
	}
}

// brief returns the message on one line, without the large values that validation quotes.
func brief(message string) string {
	if match := bigValue.FindStringSubmatch(message); match != nil {
		message = "Invalid value: " + match[1]
	}
	message, _, _ = strings.Cut(message, "\n@@") // a diff of internal types
	message = strings.Join(strings.Fields(message), " ")
	const longest = 1000
	if len(message) > longest {
		message = message[:longest] + "..."
	}
	return message
}
