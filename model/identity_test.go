package model

import (
	"strings"
	"testing"
)

// identityContainer is a sandbox with these labels and a bound /root.
func identityContainer(profile, task, root string) Container {
	c := Container{Labels: postureLabels(map[string]string{LabelAgent: "1"})}
	if profile != "" {
		c.Labels[NewText(LabelProfile)] = NewText(profile)
	}
	if task != "" {
		c.Labels[NewText(LabelTask)] = NewText(task)
	}
	if root != "" {
		c.Mounts = []Mount{{Type: NewText("bind"), Source: NewText(root), Destination: NewText("/root"), RW: true}}
	}
	return c
}

func identityProfile(name, home string, apply ...func(*Policy)) Profile {
	policy := &Policy{Position: PositionLocked, SharedContainerKey: new(string)}
	for _, change := range apply {
		change(policy)
	}
	return Profile{Name: NewText(name), Label: Sanitize(name), Home: home, Policy: policy}
}

func withKey(key string) func(*Policy)        { return func(p *Policy) { p.SharedContainerKey = &key } }
func withSandboxDir(dir string) func(*Policy) { return func(p *Policy) { p.SandboxDir = dir } }

func TestScope(t *testing.T) {
	t.Parallel()
	const root = "/home/u/.hermes/sandboxes/docker/"
	home := func(task string) string { return root + DirName(task) + "/home" }
	profiles := []Profile{
		identityProfile("default", "/home/u/.hermes"), identityProfile("work", "/home/u/.hermes/profiles/work"),
		identityProfile("a", "/home/u/.hermes/profiles/a"), identityProfile("a_b", "/home/u/.hermes/profiles/a_b"),
		identityProfile("keyed", "/home/u/.hermes/profiles/keyed", withKey("team")),
	}
	onTmpfs := func(c Container) Container {
		c.Host.Tmpfs = map[Text]Text{NewText("/root"): NewText("rw,exec,size=1g")}
		return c
	}
	onTmpfsMount := func(c Container) Container {
		c.Mounts = []Mount{{Type: NewText("tmpfs"), Destination: NewText("/root")}}
		return c
	}
	for name, test := range map[string]struct {
		container Container
		want      Scope
	}{
		"probe":                         {identityContainer("default", "prompt-backend-probe", home("prompt-backend-probe")), ScopeProbe},
		"probe on tmpfs":                {onTmpfs(identityContainer("default", "prompt-backend-probe", "")), ScopeProbe},
		"shared":                        {identityContainer(SharedIdentity("team"), "shared_team", home("shared:team")), ScopeShared},
		"shared, key of nobody":         {identityContainer(SharedIdentity("other"), "shared_other", ""), ScopeShared},
		"key of a profile":              {identityContainer(SharedIdentity("team"), "default", home("default")), ScopeShared},
		"a profile that looks keyed":    {identityContainer("x-0123456789ab", "default", home("default")), ScopeProfile},
		"shared task, plain label":      {identityContainer("default", "shared_team", home("shared:team")), ScopeRollout},
		"root on tmpfs":                 {onTmpfs(identityContainer("default", "20260610_161415_61bb69", "")), ScopeSession},
		"root on a tmpfs mount":         {onTmpfsMount(identityContainer("default", "api-1", "")), ScopeSession},
		"default on tmpfs":              {onTmpfs(identityContainer("default", "default", "")), ScopeSession},
		"session key":                   {identityContainer("default", "session_agent_main", home("session:agent:main")), ScopeSession},
		"default":                       {identityContainer("default", "default", home("default")), ScopeProfile},
		"known profile":                 {identityContainer("work", "profile_work", home("profile:work")), ScopeProfile},
		"known profile, dir of old":     {identityContainer("work", "profile_work", root+"profile:work/home"), ScopeProfile},
		"profile of the label":          {identityContainer("gone", "profile_gone", home("profile:gone")), ScopeProfile},
		"profile of nobody":             {identityContainer("work", "profile_nobody", home("profile:nobody")), ScopeRollout},
		"ambiguous, dir of the profile": {identityContainer("a_b", "profile_a_b", home("profile:a_b")), ScopeProfile},
		"ambiguous, dir of a session":   {identityContainer("a", "profile_a_b", home("profile:a:b")), ScopeSession},
		"ambiguous, dir of a raw id":    {identityContainer("a_b", "profile_a_b", home("profile_a_b")), ScopeRollout},
		"ambiguous, dir elsewhere":      {identityContainer("a_b", "profile_a_b", "/data/root"), ScopeProfile},
		"home":                          {identityContainer("default", "home__srv_bot", home("home:/srv/bot")), ScopeProfile},
		"home without a bind":           {identityContainer("default", "home__srv_bot", ""), ScopeUnknown},
		"home, dir of a raw id":         {identityContainer("default", "home_run", home("home_run")), ScopeRollout},
		"rollout":                       {identityContainer("default", "astropy-123", home("astropy-123")), ScopeRollout},
		"rollout without a bind":        {identityContainer("default", "astropy-123", ""), ScopeUnknown},
		"foreign":                       {onTmpfs(identityContainer("default", "", "")), ScopeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := identify(&test.container, profiles).Scope; got != test.want {
				t.Errorf("scope is %s, want %s", got, test.want)
			}
		})
	}
}

func TestGeneration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		labels map[string]string
		want   Generation
	}{
		"three labels": {map[string]string{LabelTask: "default", LabelProfile: "default"}, GenerationG1},
		"egress":       {map[string]string{LabelTask: "default", LabelProfile: "default", LabelEgress: "off"}, GenerationG2G3},
		"shared key": {
			map[string]string{LabelTask: "shared_team", LabelProfile: SharedIdentity("team"), LabelEgress: "off"}, GenerationG3G4,
		},
		"shared key, old egress": {map[string]string{LabelTask: "shared_team", LabelProfile: SharedIdentity("team")}, GenerationG3G4},
		"shared task only":       {map[string]string{LabelTask: "shared_team", LabelProfile: "team", LabelEgress: "off"}, GenerationG2G3},
		"environment":            {map[string]string{LabelTask: "default", LabelProfile: "default", LabelEgress: "off", LabelEnvironment: fixtureMark}, GenerationG4},
		"environment and a key":  {map[string]string{LabelTask: "shared_team", LabelProfile: SharedIdentity("team"), LabelEnvironment: fixtureMark}, GenerationG4},
		"spawn":                  {map[string]string{LabelTask: "default", LabelProfile: "default", LabelEnvironment: fixtureMark, LabelSpawn: "1"}, GenerationG5},
		"foreign":                {nil, GenerationG1},
		"egress without a task":  {map[string]string{LabelProfile: "default", LabelEgress: "off"}, GenerationG1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Container{Labels: postureLabels(test.labels)}
			c.Labels[NewText(LabelAgent)] = NewText("1")
			if got := identify(&c, nil).Generation; got != test.want {
				t.Errorf("generation is %s, want %s", got, test.want)
			}
		})
	}
}

func TestForeignAndInherited(t *testing.T) {
	t.Parallel()
	labels := map[string]string{LabelAgent: "1", LabelTask: "default", LabelProfile: "work", "maintainer": "somebody"}
	without := func(key string) map[string]string {
		rest := map[string]string{}
		for k, v := range labels {
			if k != key {
				rest[k] = v
			}
		}
		return rest
	}
	for name, test := range map[string]struct {
		own, image         map[string]string
		imageKnown         bool
		foreign, inherited bool
	}{
		"plain":                    {own: labels, imageKnown: true},
		"without a task":           {own: without(LabelTask), imageKnown: true, foreign: true},
		"without a profile":        {own: without(LabelProfile), imageKnown: true, foreign: true},
		"all from the image":       {own: labels, image: labels, imageKnown: true, inherited: true},
		"other labels may differ":  {own: labels, image: without("maintainer"), imageKnown: true, inherited: true},
		"one of the container":     {own: labels, image: without(LabelProfile), imageKnown: true},
		"image is no sandbox":      {own: labels, image: without(LabelAgent), imageKnown: true},
		"image not read":           {own: labels, image: labels},
		"foreign and of the image": {own: map[string]string{LabelAgent: "1"}, image: labels, imageKnown: true, foreign: true, inherited: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := identify(&Container{Labels: postureLabels(test.own), ImageLabels: postureLabels(test.image), ImageLabelsKnown: test.imageKnown}, nil)
			if s.Foreign != test.foreign || s.Inherited != test.inherited {
				t.Errorf("foreign=%v inherited=%v, want %v and %v", s.Foreign, s.Inherited, test.foreign, test.inherited)
			}
		})
	}
	relabelled := Container{Labels: postureLabels(labels), ImageLabels: postureLabels(without(LabelTask)), ImageLabelsKnown: true}
	relabelled.ImageLabels[NewText(LabelTask)] = NewText("other")
	if identify(&relabelled, nil).Inherited {
		t.Error("a sandbox whose task differs from its image's counts as inherited")
	}
}

func TestHomeAndPolicy(t *testing.T) {
	t.Parallel()
	root := identityProfile("default", "/home/u/.hermes")
	work := identityProfile("work", "/home/u/.hermes/profiles/work")
	bot := identityProfile("default", "/srv/bot")
	elsewhere := identityProfile("lab", "/home/u/.hermes/profiles/lab", withSandboxDir("/data/sandboxes"))
	alsoThere := identityProfile("play", "/home/u/.hermes/profiles/play", withSandboxDir("/data/sandboxes/"))
	keyed := identityProfile("work", "/home/u/.hermes/profiles/work", withKey("team"))
	keyedToo := identityProfile("lab", "/home/u/.hermes/profiles/lab", withKey("team"))
	unread := Profile{Name: NewText("work"), Label: "work", Home: "/home/u/.hermes/profiles/work"}
	byLabel := Profile{Name: NewText("ghost"), Label: "ghost"}
	for name, test := range map[string]struct {
		container Container
		profiles  []Profile
		home      string
		label     string
		policy    *Policy
	}{
		"bind below a home": {
			identityContainer("default", "default", "/home/u/.hermes/sandboxes/docker/default/home"), []Profile{root, work}, "/home/u/.hermes", "default", root.Policy,
		},
		"bind below a profile": {
			identityContainer("work", "default", "/home/u/.hermes/profiles/work/sandboxes/docker/default/home"),
			[]Profile{root, work},
			"/home/u/.hermes/profiles/work", "work", work.Policy,
		},
		"bind wins over the label": {
			identityContainer("work", "default", "/home/u/.hermes/sandboxes/docker/default/home"), []Profile{root, work}, "/home/u/.hermes", "default", root.Policy,
		},
		"bind of an unknown home": {
			identityContainer("work", "default", "/mnt/x/profiles/play/sandboxes/docker/default/home"), []Profile{root, work}, "/mnt/x/profiles/play", "play", nil,
		},
		"bind of an unknown root": {
			identityContainer("default", "default", "/mnt/x/sandboxes/docker/default/home"), []Profile{root}, "/mnt/x", "default", nil,
		},
		"hostile path": {
			identityContainer("default", "default", "/mnt/\x1b[2J/sandboxes/docker/default/home"), []Profile{root}, "/mnt/\x1b[2J", "default", nil,
		},
		"only workspace is bound": {
			Container{Labels: identityContainer("default", "default", "").Labels, Mounts: []Mount{{
				Type: NewText("bind"), Source: NewText("/srv/bot/sandboxes/docker/default/workspace"), Destination: NewText("/workspace"),
			}}}, []Profile{root, bot}, "/srv/bot", "default", bot.Policy,
		},
		"known sandbox_dir": {
			identityContainer("lab", "default", "/data/sandboxes/docker/default/home"), []Profile{root, elsewhere}, elsewhere.Home, "lab", elsewhere.Policy,
		},
		"sandbox_dir of two, by the label": {
			identityContainer("play", "default", "/data/sandboxes/docker/default/home"), []Profile{elsewhere, alsoThere}, alsoThere.Home, "play", alsoThere.Policy,
		},
		"beside a sandbox_dir": {
			identityContainer("work", "default", "/data/sandboxes-2/docker/default/home"), []Profile{work, elsewhere}, work.Home, "work", work.Policy,
		},
		"label of one home":      {identityContainer("work", "default", ""), []Profile{root, work}, work.Home, "work", work.Policy},
		"label of two homes":     {identityContainer("default", "default", ""), []Profile{root, bot}, "", "", nil},
		"label of nobody":        {identityContainer("gone", "default", ""), []Profile{root, work}, "", "", nil},
		"label without a home":   {identityContainer("ghost", "default", ""), []Profile{root, byLabel}, "", "", nil},
		"no label":               {identityContainer("", "default", ""), []Profile{work}, "", "", nil},
		"configuration not read": {identityContainer("work", "default", ""), []Profile{unread}, work.Home, "work", nil},
		"bound from elsewhere":   {identityContainer("work", "default", "/data/root"), []Profile{work}, work.Home, "work", work.Policy},
		"path is not cleaned up": {
			identityContainer("default", "default", "/srv//bot/./sandboxes/docker/default/home/"), []Profile{root, bot}, "/srv/bot", "default", bot.Policy,
		},
		"Docker Desktop's prefix": {
			identityContainer("default", "default", "/host_mnt/srv/bot/sandboxes/docker/default/home"), []Profile{root, bot}, "/srv/bot", "default", bot.Policy,
		},
		"shared key of one": {
			identityContainer(SharedIdentity("team"), "shared_team", "/home/u/.hermes/sandboxes/docker/x/home"), []Profile{root, keyed}, "/home/u/.hermes", "default", keyed.Policy,
		},
		"shared key of two, by the home": {
			identityContainer(SharedIdentity("team"), "shared_team", "/home/u/.hermes/profiles/lab/sandboxes/docker/x/home"),
			[]Profile{keyed, keyedToo},
			keyedToo.Home, "lab", keyedToo.Policy,
		},
		"shared key of two, home of neither": {
			identityContainer(SharedIdentity("team"), "shared_team", "/home/u/.hermes/sandboxes/docker/x/home"), []Profile{root, keyed, keyedToo}, "/home/u/.hermes", "default", nil,
		},
		"shared key of nobody": {
			identityContainer(SharedIdentity("team"), "shared_team", "/home/u/.hermes/sandboxes/docker/x/home"), []Profile{root, work}, "/home/u/.hermes", "default", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := identify(&test.container, test.profiles)
			if s.Home != test.home || s.HomeLabel != test.label {
				t.Errorf("home is %q (%q), want %q (%q)", s.Home, s.HomeLabel, test.home, test.label)
			}
			if s.Policy != test.policy {
				t.Errorf("policy is %p, want %p", s.Policy, test.policy)
			}
		})
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add("default", "default", "/home/u/.hermes/sandboxes/docker/default/home", "work")
	f.Add("x-0123456789ab", "shared_x", "/sandboxes/docker/x/home", "")
	f.Add("a", "profile_a_b", `C:\Users\u\.hermes\sandboxes\docker\x\home`, "a")
	f.Fuzz(func(t *testing.T, profile, task, source, name string) {
		profiles := []Profile{identityProfile(name, "/h"), identityProfile(profile, "/h/profiles/x", withKey(task), withSandboxDir(source))}
		s := identify(pointer(identityContainer(profile, task, source)), profiles)
		if s.Foreign != (profile == "" || task == "") {
			t.Errorf("foreign is %v for profile %q and task %q", s.Foreign, profile, task)
		}
		if s.Foreign && s.Scope != ScopeUnknown {
			t.Errorf("a foreign one has scope %s", s.Scope)
		}
		// A home is kept as it is: it is compared, and escaped where it is shown.
		if at := profileAt(s.Home, profiles); at == nil && !strings.HasPrefix(cleanPath(source), s.Home) {
			t.Errorf("home %q comes neither from a profile nor from %q", s.Home, source)
		}
		if s.Policy != nil && s.Home == "" && s.Scope != ScopeShared && !s.Foreign {
			t.Errorf("a policy without a home")
		}
	})
}
