#!/bin/sh
# nginx's container runs this script at startup. It adapts the nginx example to the containers' names and the domain.
set -eu
for file in oriel oriel-sandbox; do
  sed -e "s/example\.com/$DOMAIN/g" -e "s/127\.0\.0\.1:4001/api-1:4000/" -e "s/127\.0\.0\.1:4002/api-2:4000/" \
    -e "s/127\.0\.0\.1:4100/sandbox:4100/" -e "s#/var/log/nginx/oriel.log#/dev/stdout#" \
    "/examples/$file.conf" > "/etc/nginx/conf.d/$file.conf"
done
# Without the profile "sandbox", its name doesn't exist, and nginx wouldn't start.
getent hosts sandbox > /dev/null || rm /etc/nginx/conf.d/oriel-sandbox.conf
