#!/bin/sh
# hamkit-identity on the command line. For root and the service's user a command has the settings of the service, and runs as that user:
# otherwise it would open another database, or write files that the service can't read. For others it is an ordinary program.
set -eu
program=/usr/lib/hamkit-identity/hamkit-identity
user=hamkit-identity
file=/etc/hamkit-identity/environment

id=$(id -u)
if [ "$id" != 0 ] && [ "$id" != "$(id -u $user 2> /dev/null || echo none)" ]; then
    exec "$program" "$@"
fi

fail() {
    echo "hamkit-identity: $file, line $number: $1" >&2
    exit 2
}

# Sets a variable, unless the caller has. Later lines replace earlier ones.
ours=" "
use() {
    eval "isSet=\${$1+yes}"
    case "$ours" in *" $1 "*) isSet= ;; esac
    [ -z "$isSet" ] || return 0
    ours="$ours$1 "
    export "$1=$2"
}

trim() {
    trimmed=${1#"${1%%[![:space:]]*}"}
    trimmed=${trimmed%"${trimmed##*[![:space:]]}"}
}

# Those of the unit come first, so that the file replaces them.
@ENVIRONMENT@

number=0
if [ -r "$file" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        trim "$line"
        case $trimmed in '' | '#'* | ';'*) continue ;; *=*) ;; *) fail "expected NAME=VALUE" ;; esac
        rest=${trimmed#*=}
        trim "${trimmed%%=*}"
        name=$trimmed
        case $name in '' | [0-9]* | *[!A-Za-z0-9_]*) fail "expected the name of a variable before the =" ;; esac
        trim "$rest"
        value=$trimmed
        case $value in
            *\\*) fail "systemd changes values with a backslash, which is not supported here; IDENTITY_CONFIG can name a file for them" ;;
            \"*)
                value=${value#\"}
                case $value in *\"*\" | *[!\"] | '') fail "expected one quoted text after the =" ;; esac
                value=${value%\"}
                ;;
            \'*)
                value=${value#\'}
                case $value in *\'*\' | *[!\'] | '') fail "expected one quoted text after the =" ;; esac
                value=${value%\'}
                ;;
        esac
        use "$name" "$value"
    done < "$file"
fi

umask 077
if [ "$id" = 0 ]; then
    HOME=/var/lib/hamkit-identity
    export HOME
    exec setpriv --reuid=$user --regid=$user --init-groups -- "$program" "$@"
fi
exec "$program" "$@"
