{{- /* What the pods of the server and of the migrations have in common. */ -}}

{{- define "purse.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
{{- end -}}

{{- define "purse.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "purse.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "purse.settings" -}}
env:
  - name: PURSE_SERVER_URL
    value: {{ required "serverUrl is required: the public URL, ending in /server" .Values.serverUrl | quote }}
  - name: PURSE_TRUSTED_PROXIES
    value: {{ .Values.trustedProxies | quote }}
  - name: PURSE_DRAIN_DELAY_SECONDS
    value: {{ .Values.drainDelaySeconds | quote }}
  - name: PURSE_DRAIN_TIMEOUT_SECONDS
    value: {{ .Values.drainTimeoutSeconds | quote }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    {{- /* A number from a file of values is a float, which would be written as 2.097152e+07. */}}
    value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
  {{- end }}
{{- with .Values.secretName }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
{{- end -}}

{{- define "purse.volumeMounts" -}}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- if .Values.configMapName }}
  - name: config
    mountPath: /app/purse.config.ts
    subPath: purse.config.ts
    readOnly: true
  {{- end }}
  {{- if .Values.cloudConfigMapName }}
  - name: cloud
    mountPath: /app/cloud
    readOnly: true
  {{- end }}
{{- end -}}

{{- define "purse.volumes" -}}
- name: tmp
  emptyDir: {}
{{- with .Values.configMapName }}
- name: config
  configMap:
    name: {{ . }}
{{- end }}
{{- with .Values.cloudConfigMapName }}
- name: cloud
  configMap:
    name: {{ . }}
{{- end }}
{{- end -}}
