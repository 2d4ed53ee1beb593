#!/usr/bin/env bash
# Entry point of Envoy's container: runs Envoy, and drains it on SIGTERM, so that requests in flight finish.
# Envoy itself would abort them on SIGTERM. Uses bash and perl, which Envoy's image contains.
set -u

config=${ENVOY_CONFIG:-/etc/envoy/envoy.yaml}
admin=${ENVOY_ADMIN_SOCKET:-/run/gateway/envoy-admin.sock}
drain_seconds=${DRAIN_SECONDS:-25}

# ask METHOD PATH: one request to Envoy's admin interface; prints the answer.
ask() {
  perl -MIO::Socket::UNIX -e '
    my ($socket, $method, $path) = @ARGV;
    my $c = IO::Socket::UNIX->new(Peer => $socket, Timeout => 2) or exit 1;
    print $c "$method $path HTTP/1.1\r\nHost: admin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    print while <$c>;
  ' "$admin" "$1" "$2" 2>/dev/null
}

active() {
  ask GET '/stats?filter=downstream_rq_active' | tr -d '\r' | sed -n 's/^http\.main\.downstream_rq_active: //p'
}

# quiet UNTIL: waits until no request has been running for a moment, at most until that second.
quiet() {
  local calm=0
  while [ "$SECONDS" -lt "$1" ]; do
    # An Envoy that does not answer has nothing left to finish.
    local now
    now=$(active)
    [ -n "$now" ] || return
    if [ "$now" = 0 ]; then calm=$((calm + 1)); else calm=0; fi
    [ "$calm" -lt 3 ] || return
    sleep 0.1
  done
}

drain() {
  trap '' TERM INT
  local until=$((SECONDS + drain_seconds))
  # Answers ask clients to close their connections. The listeners close when no request is running, or after a fifth
  # of the time, since new requests may keep arriving. Then open requests may finish.
  ask POST '/drain_listeners?graceful&skip_exit' >/dev/null
  quiet $((SECONDS + drain_seconds / 5))
  ask POST /drain_listeners >/dev/null
  quiet "$until"
  kill -TERM "$envoy"
}

"${ENVOY:-envoy}" -c "$config" --log-level warn --disable-hot-restart \
  --drain-strategy immediate --drain-time-s 600 "$@" &
envoy=$!
trap drain TERM INT
# `wait` returns at the signal, before Envoy has ended.
while kill -0 "$envoy" 2>/dev/null; do wait "$envoy"; code=$?; done
exit "${code:-0}"
