{{- /* Bytes of a quantity such as 2Gi, 1536Mi or 2G. */ -}}
{{- define "gateway.bytes" -}}
{{- $units := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $text := toString . -}}
{{- if not (regexMatch "^[0-9]+(\\.[0-9]+)?([kMGT]|[KMGT]i)?$" $text) -}}
{{- fail (printf "envoy.resources.limits.memory: write a quantity such as 2Gi, not %q" $text) -}}
{{- end -}}
{{- $unit := regexFind "[kKMGTi]+$" $text -}}
{{ mulf (float64 (trimSuffix $unit $text)) (get $units $unit) | floor | int64 }}
{{- end }}

{{- /* Refuses keys of config that the chart sets from other values. */ -}}
{{- define "gateway.checkConfig" -}}
{{- $config := .Values.config -}}
{{- $owners := dict "server.tls" "tls.existingSecret" "server.extproc" "" "server.admin_host" "networkPolicy.metrics" "server.drain_timeout" "drain.seconds" "redis.addr" "redis" "redis.password" "redis.existingSecret" "redis.sentinel" "redis.sentinel" "redis.cluster" "redis.cluster" "redis.tls" "redis.tls" "envoy.managed" "" "envoy.max_heap_bytes" "envoy.resources.limits.memory" "policy.presets" "policies.presets" "policy.policy_dir" "policies.files" "policy.policy_file" "policies.files" -}}
{{- range $path, $owner := $owners -}}
{{- $parts := splitList "." $path -}}
{{- if hasKey (default dict (get $config (first $parts))) (last $parts) -}}
{{- fail (printf "config.%s: the chart sets it; %s" $path (ternary "remove it" (printf "use the value %s" $owner) (eq $owner ""))) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* Redis addresses: addr, sentinel or cluster of gateway.yaml. */ -}}
{{- define "gateway.redisPlace" -}}
{{- $redis := .Values.redis -}}
{{- if and $redis.sentinel.addrs $redis.cluster.addrs -}}
{{- fail "redis: set sentinel.addrs or cluster.addrs, not both" -}}
{{- end -}}
{{- if $redis.sentinel.addrs -}}
sentinel:
  addrs:
    {{- toYaml $redis.sentinel.addrs | nindent 4 }}
  master_name: {{ required "redis.sentinel.masterName: name the master that the sentinels watch" $redis.sentinel.masterName | quote }}
  password: ${SENTINEL_PASSWORD:-}
{{- else if $redis.cluster.addrs -}}
cluster:
  addrs:
    {{- toYaml $redis.cluster.addrs | nindent 4 }}
{{- else if $redis.addr -}}
addr: {{ $redis.addr | quote }}
{{- else if and $redis.existingSecret.name $redis.existingSecret.addrKey -}}
addr: ${REDIS_ADDR}
{{- else -}}
{{- fail "redis: set addr, existingSecret.addrKey, sentinel.addrs or cluster.addrs" -}}
{{- end -}}
{{- end }}

{{- define "gateway.redisTls" -}}
{{- with .Values.redis.tls -}}
enabled: {{ .enabled }}
{{- if .enabled }}
{{- with .serverName }}
server_name: {{ . | quote }}
{{- end }}
{{- if .caSecret.name }}
ca_file: {{ printf "/etc/gateway/redis-ca/%s" .caSecret.key }}
{{- end }}
{{- if .clientSecret }}
cert_file: /etc/gateway/redis-client/tls.crt
key_file: /etc/gateway/redis-client/tls.key
{{- end }}
{{- end }}
{{- end -}}
{{- end }}

{{- /* Keys of gateway.yaml that the chart sets. */ -}}
{{- define "gateway.ownConfig" -}}
server:
  # For the probes and Prometheus; the NetworkPolicy limits access.
  admin_host: 0.0.0.0
  drain_timeout: {{ .Values.drain.seconds }}s
  tls:
    cert_file: /etc/gateway/tls/tls.crt
    key_file: /etc/gateway/tls/tls.key
  extproc:
    address: unix:/run/gateway/sockets/extproc.sock
redis:
  {{- include "gateway.redisPlace" . | nindent 2 }}
  password: ${REDIS_PASSWORD:-}
  tls:
    {{- include "gateway.redisTls" . | nindent 4 }}
policy:
  enabled: {{ dig "policy" "enabled" (or .Values.policies.presets .Values.policies.files | empty | not) .Values.config }}
  presets:
    {{- toYaml .Values.policies.presets | nindent 4 }}
  policy_dir: /etc/gateway/policies
envoy:
  managed: false
  # Two thirds of the memory limit of Envoy's container.
  max_heap_bytes: {{ div (mul 2 (include "gateway.bytes" .Values.envoy.resources.limits.memory | int64)) 3 }}
{{- end }}

{{- /* gateway.yaml of the pods. */ -}}
{{- define "gateway.config" -}}
{{- include "gateway.checkConfig" . -}}
{{- toYaml (mustMergeOverwrite (deepCopy .Values.config) (include "gateway.ownConfig" . | fromYaml)) -}}
{{- end }}

{{- /* Ports of Redis and its sentinels, as a YAML list. */ -}}
{{- define "gateway.redisPorts" -}}
{{- $ports := list -}}
{{- range concat (list .Values.redis.addr) .Values.redis.sentinel.addrs .Values.redis.cluster.addrs -}}
{{- $port := regexFind "[0-9]+$" (default "" .) -}}
{{- if $port }}{{ $ports = append $ports ($port | int) }}{{ end -}}
{{- end -}}
{{- if or .Values.redis.sentinel.addrs (not $ports) }}{{ $ports = concat (list 6379 26379) $ports }}{{ end -}}
{{- toYaml (default $ports .Values.networkPolicy.redisPorts | uniq) -}}
{{- end }}
