{{- /* Variables that gateway.yaml refers to: the same for the sidecar and the init container. */ -}}
{{- define "gateway.env" -}}
{{- $redis := .Values.redis -}}
{{- with $redis.existingSecret -}}
{{- if .name -}}
{{- if and .addrKey (not $redis.addr) (not $redis.sentinel.addrs) (not $redis.cluster.addrs) }}
- name: REDIS_ADDR
  valueFrom: { secretKeyRef: { name: {{ .name | quote }}, key: {{ .addrKey | quote }} } }
{{- end }}
{{- if .passwordKey }}
- name: REDIS_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .name | quote }}, key: {{ .passwordKey | quote }}, optional: true } }
{{- end }}
{{- if and .sentinelPasswordKey $redis.sentinel.addrs }}
- name: SENTINEL_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .name | quote }}, key: {{ .sentinelPasswordKey | quote }}, optional: true } }
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.secretEnv }}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret | quote }}, key: {{ .key | quote }}, optional: {{ default false .optional }} } }
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Files of gateway.yaml: the same for the sidecar and the init container. */ -}}
{{- define "gateway.mounts" -}}
- { name: config, mountPath: /etc/gateway/gateway.yaml, subPath: gateway.yaml, readOnly: true }
- { name: policies, mountPath: /etc/gateway/policies, readOnly: true }
- { name: tls, mountPath: /etc/gateway/tls, readOnly: true }
{{- if and .Values.redis.tls.enabled .Values.redis.tls.caSecret.name }}
- { name: redis-ca, mountPath: /etc/gateway/redis-ca, readOnly: true }
{{- end }}
{{- if and .Values.redis.tls.enabled .Values.redis.tls.clientSecret }}
- { name: redis-client, mountPath: /etc/gateway/redis-client, readOnly: true }
{{- end }}
- { name: run, mountPath: /run/gateway }
- { name: tmp, mountPath: /tmp }
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "gateway.volumes" -}}
- { name: config, configMap: { name: {{ include "gateway.fullname" . }} } }
- { name: policies, configMap: { name: {{ include "gateway.fullname" . }}-policies } }
- { name: scripts, configMap: { name: {{ include "gateway.fullname" . }}-scripts } }
- { name: tls, secret: { secretName: {{ required "tls.existingSecret: name the secret with tls.crt and tls.key" .Values.tls.existingSecret | quote }} } }
{{- if and .Values.redis.tls.enabled .Values.redis.tls.caSecret.name }}
- { name: redis-ca, secret: { secretName: {{ .Values.redis.tls.caSecret.name | quote }} } }
{{- end }}
{{- if and .Values.redis.tls.enabled .Values.redis.tls.clientSecret }}
- { name: redis-client, secret: { secretName: {{ .Values.redis.tls.clientSecret | quote }} } }
{{- end }}
- { name: run, emptyDir: { medium: Memory, sizeLimit: 16Mi } }
- { name: tmp, emptyDir: { sizeLimit: 256Mi } }
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
