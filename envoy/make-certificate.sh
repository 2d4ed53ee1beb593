#!/usr/bin/env bash
# Writes a certificate for development: make-certificate.sh FOLDER
# Creates a self-signed tls.crt and tls.key for localhost and 127.0.0.1, valid for 90 days. Keeps existing files.
# Uses openssl from Envoy's image.
set -eu

folder=${1:?'name the folder for tls.crt and tls.key'}
# User of Envoy and the sidecar in docker-compose.yml.
owner=${OWNER:-65532:65532}

if [ -e "$folder/tls.crt" ] || [ -e "$folder/tls.key" ]; then
  echo "$folder already contains a certificate: nothing was written" >&2
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
