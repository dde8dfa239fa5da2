"""Glance's application on a database and a store of its own in a folder, as a web server loads it."""

import os

from oslo_config import cfg
from sqlalchemy import create_engine

PASTE = """
[pipeline:glance-api-keystone]
pipeline = versionnegotiation authtoken context rootapp
[composite:rootapp]
paste.composite_factory = glance.api:root_app_factory
/: versions
/v2: images
[app:versions]
paste.app_factory = glance.api.versions:create_resource
[app:images]
paste.app_factory = glance.api.v2.router:API.factory
[filter:versionnegotiation]
paste.filter_factory = glance.api.middleware.version_negotiation:VersionNegotiationFilter.factory
[filter:context]
paste.filter_factory = glance.api.middleware.context:ContextMiddleware.factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
"""

# What does not concern identity.
OWN = """
[DEFAULT]
node_staging_uri = file://{folder}/staging
log_file = {folder}/glance.log
debug = true
[database]
connection = sqlite:///{folder}/glance.sqlite
[glance_store]
stores = file
default_store = file
filesystem_store_datadir = {folder}/images
[paste_deploy]
config_file = {folder}/glance-api-paste.ini
"""


def load(folder, configuration):
    """The application with these lines of `glance-api.conf`."""
    text = configuration + OWN.format(folder=folder)
    for name, content in (("glance-api.conf", text), ("glance-api-paste.ini", PASTE)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
    os.environ["OS_GLANCE_CONFIG_DIR"] = folder
    # Glance reads these options for its trusts; Debian's keystonemiddleware does not define them.
    missing = [cfg.BoolOpt("collect-timing"), cfg.BoolOpt("split-loggers")]
    cfg.CONF.register_opts(missing, group="keystone_authtoken")
    from glance.common import wsgi_app
    from glance.db.sqlalchemy import models, models_metadef

    engine = create_engine(f"sqlite:///{folder}/glance.sqlite")
    models.register_models(engine)
    models_metadef.register_models(engine)
    return wsgi_app.init_app()
