"""What automation with openstacksdk does to a federation, and what it reads of it."""
import json
import sys

import openstack

question = json.load(sys.stdin)
cloud = openstack.connect(
    auth_url=question["url"] + "/v3",
    username="admin",
    password=question["password"],
    user_domain_id="default",
    system_scope="all",
    region_name="",
    identity_interface="public",
    identity_endpoint_override=question["url"] + "/v3",
)
identity = cloud.identity


def domain():
    return identity.find_domain("Lab", ignore_missing=False)


def group(name):
    return identity.find_group(name, ignore_missing=True, domain_id=domain().id)


def drift():
    identity.update_identity_provider("corp", is_enabled=False, description="by a script")
    identity.update_mapping(
        "corp",
        rules=[{"local": [{"user": {"name": "{0}"}}], "remote": [{"type": "OIDC-email"}]}],
    )
    identity.create_federation_protocol(idp_id="corp", id="extra", mapping_id="corp")
    identity.update_domain(domain(), description="by a script")
    project = identity.find_project("web", ignore_missing=False, domain_id=domain().id)
    role = identity.find_role("admin", ignore_missing=False)
    identity.assign_project_role_to_group(project, group("staff"), role)
    identity.delete_group(group("readers"))


def read():
    provider = identity.get_identity_provider("corp")
    mapping = identity.get_mapping("corp")
    project = identity.find_project("web", ignore_missing=False, domain_id=domain().id)
    return {
        "enabled": provider.is_enabled,
        "description": provider.description,
        "types": [each["type"] for rule in mapping.rules for each in rule["remote"]],
        "protocols": sorted(each.id for each in identity.federation_protocols("corp")),
        "domain": domain().description,
        "groups": sorted(each.name for each in identity.groups(domain_id=domain().id)),
        "grants": sorted(
            "%s:%s" % (each.group["id"] == group("staff").id and "staff" or "readers",
                       identity.get_role(each.role["id"]).name)
            for each in identity.role_assignments(scope_project_id=project.id)
            if each.group
        ),
    }


if question["step"] == "drift":
    drift()
print(json.dumps(read()))
