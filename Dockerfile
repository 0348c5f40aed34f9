# The static binary in an empty image:
#
#   CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o hermes-sandbox ./cmd/hermes-sandbox
#   docker build -t hermes-sandbox .
#   docker run --rm -it -v /var/run/docker.sock:/var/run/docker.sock \
#     -v "$HOME/.hermes:$HOME/.hermes:ro" -e HERMES_HOME="$HOME/.hermes" \
#     -v hermes-sandbox-state:/state -e TERM hermes-sandbox
#
# Hermes' home has to be at the same place inside as outside, since sandboxes name
# it; without :ro a lockdown can write the policy. The volume keeps the audit.
#
# It runs as root there, since the socket of most engines is root's; a socket
# hands out root on the machine whoever opens it.
FROM scratch
COPY hermes-sandbox /hermes-sandbox
ENV HOME=/state XDG_STATE_HOME=/state
# Makes the folder, in which the demonstration has its own.
WORKDIR /tmp
ENTRYPOINT ["/hermes-sandbox"]
