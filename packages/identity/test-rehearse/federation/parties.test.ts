/** All counterparts that the quick checks log in with, so that a rehearsal is complete. */
import "../../test-system/federation/keystone/keystone-peers.test.js";
import "../../test-system/federation/lemonldap/lemonldap.test.js";
import "../../test-system/federation/openid/openid-service.test.js";
import "../../test-system/federation/saml/lasso.test.js";
import "../../test-system/federation/saml/saml-service.test.js";
import "../../test-system/federation/simplesamlphp/simplesamlphp.test.js";
