"""Serves one of Debian's OpenStack services: `serve-app.py SERVICE PORT FOLDER`, with the lines of its configuration on standard input.

Database and files are in the folder. The service's own lines win over those that are added here.
"""

import os
import sys

from waitress import serve

service, port, folder = sys.argv[1:]
configuration = sys.stdin.read()

BARBICAN_PASTE = """
[composite:main]
use = egg:Paste#urlmap
/: barbican_version
/v1: barbican_api
[pipeline:barbican_version]
pipeline = microversion versionapp
[pipeline:barbican_api]
pipeline = authtoken context microversion apiapp
[app:apiapp]
paste.app_factory = barbican.api.app:create_main_app
[app:versionapp]
paste.app_factory = barbican.api.app:create_version_app
[filter:context]
paste.filter_factory = barbican.api.middleware.context:ContextMiddleware.factory
[filter:microversion]
paste.filter_factory = barbican.api.middleware.microversion:MicroversionMiddleware.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
"""


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def glance():
    import glance_app

    return glance_app.load(folder, configuration)


def placement():
    database = f"[placement_database]\nconnection = sqlite:///{folder}/placement.sqlite\nsync_on_startup = true\n"
    write("placement.conf", database + configuration)
    os.environ["OS_PLACEMENT_CONFIG_DIR"] = folder
    from placement.wsgi import init_application

    return init_application()


def barbican():
    # It looks for its file in the home folder first.
    os.environ["HOME"] = folder
    own = f"[DEFAULT]\nsql_connection = sqlite:///{folder}/barbican.sqlite\ndb_auto_create = true\n"
    write("barbican.conf", own + configuration)
    from paste import deploy

    return deploy.loadapp("config:" + write("barbican-api-paste.ini", BARBICAN_PASTE))


application = {"glance": glance, "placement": placement, "barbican": barbican}[service]()
serve(application, host="127.0.0.1", port=int(port), threads=4)
