#!/bin/sh
# nginx's container runs this script at startup. It adapts the nginx example to the domain, and to the containers' fixed
# addresses in compose.yaml. nginx looks names up only when it starts, and doesn't start if one of them is missing: with
# names, one stopped container would keep all pages from being served.
set -eu
for file in oriel oriel-sandbox; do
  sed -e "s/example\.com/$DOMAIN/g" -e "s/127\.0\.0\.1:4001/172.30.40.11:4000/" -e "s/127\.0\.0\.1:4002/172.30.40.12:4000/" \
    -e "s/127\.0\.0\.1:4100/172.30.40.13:4100/" -e "s#/var/log/nginx/oriel.log#/dev/stdout#" \
    "/examples/$file.conf" > "/etc/nginx/conf.d/$file.conf"
done
