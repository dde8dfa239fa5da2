#!/bin/sh
# Runs @PROGRAM@ with the Node of hamkit-nodejs where that is installed, otherwise with Debian's.
node=/usr/lib/hamkit-nodejs/bin/node
[ -x "$node" ] || node=/usr/bin/node
exec "$node" @PROGRAM@ "$@"
