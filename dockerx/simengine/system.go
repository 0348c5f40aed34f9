package simengine

import (
	"net/http"
	"time"
)

func (e *Engine) ping(w http.ResponseWriter, c *call) error {
	w.Header().Set("Cache-Control", "no-cache, no-store, must-revalidate")
	w.Header().Set("Pragma", "no-cache")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if c.Method == http.MethodHead {
		w.Header().Set("Content-Length", "0")
		return nil
	}
	_, err := w.Write([]byte("OK"))
	return err //nolint:wrapcheck // the client is gone; nobody reads the error
}

type object = map[string]any

// podmanVersion is what the engine calls itself with [Options.Podman].
const podmanVersion = "4.3.1"

func (e *Engine) versionInfo(*call) (int, any, error) {
	minimum := e.version.minimum().String()
	build := "2026-05-07T21:09:36.000000000+00:00"
	details := object{
		"ApiVersion": e.version.String(), "Arch": "amd64", "BuildTime": build, "Experimental": "false",
		"GitCommit": "simulated", "GoVersion": "go1.26", "KernelVersion": "6.1.0", "MinAPIVersion": minimum, "Os": "linux",
	}
	name, version := "Engine", e.version.engine()
	if e.podman {
		name, version = "Podman Engine", podmanVersion
	}
	return http.StatusOK, object{
		"Platform": object{"Name": ""},
		"Components": []object{
			{"Name": name, "Version": version, "Details": details},
			{"Name": "containerd", "Version": "1.6.20", "Details": object{"GitCommit": "simulated"}},
			{"Name": "runc", "Version": "1.1.5", "Details": object{"GitCommit": "simulated"}},
			{"Name": "docker-init", "Version": "0.19.0", "Details": object{"GitCommit": ""}},
		},
		"Version": version, "ApiVersion": e.version.String(), "MinAPIVersion": minimum,
		"GitCommit": "simulated", "GoVersion": "go1.26", "Os": "linux", "Arch": "amd64",
		"KernelVersion": "6.1.0", "BuildTime": build,
	}, nil
}

func (e *Engine) info(*call) (int, any, error) {
	counts := map[string]int{}
	for _, c := range e.containers {
		switch {
		case c.status == statusPaused:
			counts["paused"]++
		case c.running():
			counts["running"]++
		default:
			counts["stopped"]++
		}
	}
	runtime := object{"path": "runc"}
	security := []string{"name=seccomp,profile=default"}
	if e.rootless {
		security = append(security, "name=rootless")
	}
	return http.StatusOK, object{
		"ID": "SIMU:LATE:DENG:INEX", "Name": "simulated", "ServerVersion": e.version.engine(),
		"Containers": len(e.containers), "ContainersRunning": counts["running"],
		"ContainersPaused": counts["paused"], "ContainersStopped": counts["stopped"], "Images": len(e.images),
		"Driver": "overlay2", "DriverStatus": [][2]string{{"Backing Filesystem", "extfs"}},
		"Plugins": object{
			"Volume": []string{"local"}, "Network": []string{"bridge", "host", "ipvlan", "macvlan", "null", "overlay"},
			"Authorization": nil, "Log": []string{"json-file", "local"},
		},
		"MemoryLimit": true, "SwapLimit": true, "KernelMemory": true, "KernelMemoryTCP": true,
		"CpuCfsPeriod": true, "CpuCfsQuota": true, "CPUShares": true, "CPUSet": true, "PidsLimit": true,
		"IPv4Forwarding": true, "BridgeNfIptables": true, "BridgeNfIp6tables": true, "Debug": false,
		"NFd": 24, "OomKillDisable": true, "NGoroutines": 39, "SystemTime": e.now().Format(time.RFC3339Nano),
		"LoggingDriver": "json-file", "CgroupDriver": "cgroupfs", "CgroupVersion": "1",
		"NEventsListener": len(e.events.subscribers), "KernelVersion": "6.1.0",
		"OperatingSystem": "Simulated Linux", "OSVersion": "12", "OSType": "linux", "Architecture": "x86_64",
		"IndexServerAddress": "https://index.docker.io/v1/", "RegistryConfig": object{},
		"NCPU": 8, "MemTotal": int64(32 << 30), "GenericResources": nil, "DockerRootDir": "/var/lib/docker",
		"HttpProxy": "", "HttpsProxy": "", "NoProxy": "", "Labels": []string{}, "ExperimentalBuild": false,
		"Runtimes": object{"runc": runtime, "io.containerd.runc.v2": runtime}, "DefaultRuntime": "runc",
		"Swarm": object{
			"NodeID": "", "NodeAddr": "", "LocalNodeState": "inactive", "ControlAvailable": false,
			"Error": "", "RemoteManagers": nil,
		},
		"LiveRestoreEnabled": false, "Isolation": "", "InitBinary": "docker-init",
		"ContainerdCommit": object{"ID": "simulated", "Expected": "simulated"},
		"RuncCommit":       object{"ID": "simulated", "Expected": "simulated"},
		"InitCommit":       object{"ID": "", "Expected": ""},
		"SecurityOptions":  security, "Warnings": nil,
	}, nil
}
