# LemonLDAP::NG's portal, with the configuration in the folder PORTAL_CONFIGURATION.
use strict;
use Lemonldap::NG::Portal::Main;

Lemonldap::NG::Portal::Main->run(
    {
        configStorage => { type => 'File', dirName => $ENV{PORTAL_CONFIGURATION} },
        localSessionStorage => '',
        logger => 'Lemonldap::NG::Common::Logger::Std',
        logLevel => 'notice',
    }
);
