#!/usr/bin/env bash
# Writes a certificate for trying things out: make-certificate.sh FOLDER
# tls.crt and tls.key, for localhost and 127.0.0.1, signed by itself, good for 90 days. What is there stays as it is.
# Uses openssl, which Envoy's image has: its CA bundle depends on it.
set -eu

folder=${1:?'name the folder for tls.crt and tls.key'}
# The user of Envoy and the sidecar in docker-compose.yml.
owner=${OWNER:-65532:65532}

if [ -e "$folder/tls.crt" ] || [ -e "$folder/tls.key" ]; then
  echo "there is a certificate in $folder already: nothing was written" >&2
  exit 0
fi

mkdir -p "$folder"
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 90 \
  -subj '/CN=localhost' -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1' \
  -keyout "$folder/tls.key" -out "$folder/tls.crt" 2>/dev/null
chmod 644 "$folder/tls.crt"
if [ "$(id -u)" = 0 ]; then chown "$owner" "$folder/tls.crt" "$folder/tls.key"; fi
echo "wrote $folder/tls.crt and $folder/tls.key, for development; clients trust tls.crt" >&2
