package config

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// ErrSettings marks every error about the program's own settings: an unknown
// key, a wrong type, a file that cannot be read.
var ErrSettings = errors.New("settings are not usable")

// maxSettings is the largest settings file read, in bytes.
const maxSettings = 1 << 20

// envPrefix starts the names of our own environment variables. Hermes' own
// begin with HERMES_ too, so the whole prefix counts.
const envPrefix = "HERMES_SANDBOX_"

// Settings are the program's own settings, from file, environment and flags.
type Settings struct {
	Engines        []EngineSetting `koanf:"engines"`
	HermesHomes    []string        `koanf:"hermes_homes"` // read in addition to HERMES_HOME or the native home
	ReadOnly       bool            `koanf:"read_only"`
	Theme          string          `koanf:"theme"` // "" or a name the screen knows
	ASCII          bool            `koanf:"ascii"`
	Mouse          bool            `koanf:"mouse"`
	Columns        []string        `koanf:"columns"` // empty: the screen's own choice
	Group          string          `koanf:"group"`   // "": the screen's own choice
	Sort           string          `koanf:"sort"`    // "": the screen's own choice
	Keys           []KeySetting    `koanf:"keys"`
	StatsInterval  time.Duration   `koanf:"stats_interval"`
	ResyncInterval time.Duration   `koanf:"resync_interval"`
	// IdleAfter is how long no command has to run in a persistent sandbox
	// before it counts as idle.
	IdleAfter time.Duration `koanf:"idle_after"`
	// ConfirmAbove is the number of sandboxes above which a removal asks for
	// the count to be typed.
	ConfirmAbove int           `koanf:"confirm_above"`
	Mask         []string      `koanf:"mask"` // further patterns of secrets, see model.NewMasker
	Egress       EgressSetting `koanf:"egress"`
	LogFile      string        `koanf:"log_file"` // "": no log

	// File is the settings file that was read; "" when there was none.
	File string `koanf:"-"`
	// Sources names, for every key that was set, where the value came from:
	// the file's path, the variable's name or "flag".
	Sources map[string]string `koanf:"-"`
}

// EngineSetting is one engine to show. Host and Context exclude each other.
type EngineSetting struct {
	Name       string `koanf:"name"`
	Host       string `koanf:"host"`
	Context    string `koanf:"context"`
	HermesHome string `koanf:"hermes_home"` // home whose sandboxes live there; "": any
}

// KeySetting binds keys to an action of the dashboard.
type KeySetting struct {
	Action string   `koanf:"action"`
	Keys   []string `koanf:"keys"`
}

// EgressSetting is about the filtering proxy of the allowlist position.
type EgressSetting struct {
	Binary     string   `koanf:"binary"`      // static program to put into the proxy's image; "": this one
	Image      string   `koanf:"image"`       // image to run the proxy from; "": one made of the binary
	Ports      []int    `koanf:"ports"`       // ports a sandbox may reach
	AllowCIDRs []string `koanf:"allow_cidrs"` // private ranges that are reachable all the same
}

// SettingsInput is what [LoadSettings] reads from.
type SettingsInput struct {
	// File is the file named by --config; it must exist. "": the default one,
	// which need not.
	File string
	// Environ is the process environment as NAME=value.
	Environ []string
	// UserHome is the user's home folder; "" when there is none.
	UserHome string
	// Flags holds the flags that were given, by dotted key, such as
	// "read_only" or "egress.binary".
	Flags map[string]any
}

// DefaultSettings returns the settings without file, environment and flags.
func DefaultSettings() Settings {
	return Settings{
		StatsInterval:  2 * time.Second,
		ResyncInterval: 30 * time.Second,
		IdleAfter:      model.DefaultIdleAfter,
		ConfirmAbove:   5,
		Egress:         EgressSetting{Ports: []int{80, 443}},
	}
}

// LoadSettings reads the settings: file, then environment, then flags, the
// later winning key by key. All problems found are in the error, each naming
// its file (with the line) or variable, and the key; it is an [ErrSettings].
func LoadSettings(in SettingsInput) (Settings, error) {
	env := parseEnviron(in.Environ)
	settings := DefaultSettings()
	file, path, err := fileLayer(in)
	if err != nil {
		return DefaultSettings(), fmt.Errorf("%w: %w", ErrSettings, err)
	}
	variables, err := environmentLayer(env)
	flags, flagErr := flagLayer(in.Flags)
	if err := errors.Join(err, flagErr); err != nil {
		return DefaultSettings(), fmt.Errorf("%w: %w", ErrSettings, err)
	}

	merged := koanf.New(".")
	sources := map[string]string{}
	for _, layer := range []layer{file, variables, flags} {
		if err := merged.Load(confmap.Provider(layer.values, "."), nil); err != nil {
			return DefaultSettings(), fmt.Errorf("%w: merge: %w", ErrSettings, err)
		}
		for key, source := range layer.sources {
			sources[key] = source
		}
	}
	if err := decodeSettings(merged, &settings); err != nil {
		return DefaultSettings(), err
	}
	settings.File, settings.Sources = path, sources
	expandPaths(&settings, in.UserHome)
	if err := checkSettings(&settings); err != nil {
		return DefaultSettings(), fmt.Errorf("%w: %w", ErrSettings, err)
	}
	return settings, nil
}

func decodeSettings(merged *koanf.Koanf, settings *Settings) error {
	err := merged.UnmarshalWithConf("", settings, koanf.UnmarshalConf{
		DecoderConfig: &mapstructure.DecoderConfig{
			Result:      settings,
			TagName:     "koanf",
			ErrorUnused: true,
			// A list from a later layer replaces an earlier one whole.
			ZeroFields: true,
		},
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	return nil
}

// fileLayer reads the settings file. Its path is "" when there is none.
func fileLayer(in SettingsInput) (layer, string, error) {
	path := expandHome(in.File, in.UserHome)
	named := path != ""
	if !named {
		path = SettingsFile(in.Environ, in.UserHome)
	}
	if path == "" {
		return layer{}, "", nil
	}
	data, err := safefile.Read(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return layer{}, "", nil
	}
	if err != nil {
		return layer{}, "", fmt.Errorf("settings file %s cannot be read: %w; fix it or name another with --config",
			model.NewText(path).Display(), displayError(err))
	}
	values, err := parseSettings(path, data)
	return values, path, err
}

func expandPaths(settings *Settings, userHome string) {
	for i := range settings.HermesHomes {
		settings.HermesHomes[i] = expandHome(settings.HermesHomes[i], userHome)
	}
	for i := range settings.Engines {
		settings.Engines[i].HermesHome = expandHome(settings.Engines[i].HermesHome, userHome)
	}
	settings.Egress.Binary = expandHome(settings.Egress.Binary, userHome)
	settings.LogFile = expandHome(settings.LogFile, userHome)
}
