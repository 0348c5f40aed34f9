package model

// Source tells where a policy value came from.
type Source string

// Sources of a policy value, in the words of the JSON output.
const (
	SourceConfig      Source = "config.yaml"
	SourceDotEnv      Source = ".env"
	SourceEnvironment Source = "environment"
	SourceDefault     Source = "default"
	SourceManaged     Source = "managed"
	SourceBackup      Source = "backup"
	SourceUnreadable  Source = "unreadable"
)

// Position is a profile's place on the three-way egress switch.
type Position string

// Positions. The zero value is not a position; unknown is said as such.
const (
	PositionOpen      Position = "open"
	PositionAllowlist Position = "allowlist"
	PositionLocked    Position = "locked"
	PositionUnknown   Position = "unknown"
)

// Policy is what a profile's configuration asks for (contract 5.3). A nil
// pointer means the value is not known, never that it is the default.
type Policy struct {
	Backend                *string  `json:"backend"`
	DockerNetwork          *bool    `json:"docker_network"`
	ContainerNetwork       *string  `json:"container_network"`
	Position               Position `json:"position"`
	Allowlist              []string `json:"allowlist"`
	ExtraNetwork           *string  `json:"extra_network"`
	OrphanReaper           *bool    `json:"orphan_reaper"`
	PersistAcrossProcesses *bool    `json:"persist_across_processes"`
	ContainerPersistent    *bool    `json:"container_persistent"`
	LifetimeSeconds        *int     `json:"lifetime_seconds"`
	ReapAfterSeconds       *int     `json:"reap_after_seconds"`
	SharedContainerKey     *string  `json:"shared_container_key"`
	Image                  *string  `json:"image"`
	ImagePinned            *bool    `json:"image_pinned"`
	ProxyEnabled           *bool    `json:"proxy_enabled"`
	ProxyEnforced          *bool    `json:"proxy_enforced"`
	// Sources names, per JSON key above, where the value came from.
	Sources map[string]Source `json:"sources"`

	// The rest serves the configuration lint and the home of a sandbox; it is
	// not part of the JSON output.
	SandboxDir string            `json:"-"` // root of bind directories, empty: <home>/sandboxes
	ExtraArgs  []string          `json:"-"` // docker_extra_args
	Volumes    []string          `json:"-"` // docker_volumes
	DockerEnv  map[string]string `json:"-"` // docker_env; values may be secrets
	EnvSource  Source            `json:"-"` // where docker_env came from
	// Notes are oddities of single values, such as a quoted boolean that means
	// the opposite; each is a full sentence for a person.
	Notes []PolicyNote `json:"-"`
}

// PolicyNote is one oddity found while reading a policy.
type PolicyNote struct {
	Code   string // such as "quoted-bool", "env-overridden", "network-conflict"
	Key    string // the key it is about
	Detail string
	Remedy string
}

// Profile is a Hermes profile: a home with its configuration, or only a label
// value when no home with that name is known on this machine.
type Profile struct {
	Name       Text   // profile name; the raw label for one known from labels alone
	Label      string // value Hermes writes to hermes-profile for this home; "" when unknown
	Home       string // HERMES_HOME directory; "" when not known
	Root       string // installation root the profile belongs to; "" when not known
	ConfigFile string // path of config.yaml; "" when not known
	Active     bool   // the profile a new Hermes command would use
	Policy     *Policy
	Problems   []string
	Written    WrittenAllowlist // what this program wrote into its configuration
}
