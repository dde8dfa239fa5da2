"""Creates and uploads images in Debian's Glance, which asks the service for its limits; each outcome is a line of JSON."""

import os
import tempfile

import glance_app
from cloud import IN_DEFAULT, admin, create, create_limit, create_user, log_in, named, roles, tell, url, v3_url
from webob import Request

MIB = 2**20
services = create("project", **named("services"))
atelier = create("project", **named("atelier"))
glance = create_user("glance", "service", services)
kate = create_user("kate", "member", atelier)
admin.put(f"{v3_url}/system/users/{glance['id']}/roles/{roles['reader']}")
service = create("service", name="glance", type="image")
place = {"service_id": service["id"], "region_id": "RegionOne"}
endpoint = create("endpoint", interface="public", url="http://image.example.com", **place)
for name, default in (
    ("image_count_total", 3),
    ("image_size_total", 1),
    ("image_stage_total", 1),
    ("image_count_uploading", 10),
):
    create_limit("registered_limit", resource_name=name, default_limit=default, **place)

login = "\n".join(
    [
        "auth_type = password",
        f"auth_url = {url}",
        f"username = {glance['name']}",
        "password = pw-glance",
        f"user_domain_id = {IN_DEFAULT['user_domain_id']}",
    ]
)
CONFIGURATION = f"""
[DEFAULT]
use_keystone_limits = true
[paste_deploy]
flavor = keystone
[keystone_authtoken]
{login}
project_name = {services["name"]}
project_domain_id = default
www_authenticate_uri = {url}
service_type = image
[oslo_limit]
{login}
system_scope = all
endpoint_id = {endpoint["id"]}
"""

with tempfile.TemporaryDirectory() as folder:
    application = glance_app.load(folder, CONFIGURATION)
    token = log_in(username=kate["name"], password="pw-kate", project_id=atelier["id"]).get_token()
    images = []

    def ask(method, path, **request):
        headers = {"X-Auth-Token": token, **request.pop("headers", {})}
        return Request.blank(path, method=method, headers=headers, **request).get_response(application)

    def create_image():
        answer = ask("POST", "/v2/images", json={"disk_format": "raw", "container_format": "bare"})
        if answer.status_int == 201:
            images.append(answer.json["id"])
        return answer.status_int

    def upload(image, size):
        headers = {"Content-Type": "application/octet-stream"}
        return ask("PUT", f"/v2/images/{image}/file", headers=headers, body=bytes(size)).status_int

    def set_limit(number):
        path = f"{v3_url}/limits/{limit['id']}"
        admin.patch(path, json={"limit": {"resource_limit": number}})

    tell("images up to the default", lambda: [create_image() for _ in range(3)])
    tell("an image above the default", create_image)
    limit = create_limit(
        "limit", project_id=atelier["id"], resource_name="image_count_total", resource_limit=5, **place
    )
    tell("images up to a limit of the project", lambda: [create_image() for _ in range(2)])
    tell("an image above the limit of the project", create_image)
    set_limit(6)
    tell("an image after the limit was raised", create_image)
    set_limit(4)
    tell("an image after the limit was lowered", create_image)
    admin.delete(f"{v3_url}/limits/{limit['id']}")
    tell("an image after the limit was deleted", create_image)
    tell("an upload to the limit of bytes", lambda: upload(images[0], MIB))
    tell("an upload that reaches over it", lambda: upload(images[1], MIB))
    tell("an upload above it", lambda: upload(images[2], 1))
    tell("a download", lambda: len(ask("GET", f"/v2/images/{images[0]}/file").body))
    tell("without a token", lambda: Request.blank("/v2/images").get_response(application).status_int)
    with open(os.path.join(folder, "glance.log")) as log:
        made = [line for line in log if "has been created" in line and "Trust " in line]
    left = admin.get(v3_url + "/OS-TRUST/trusts").json()["trusts"]
    tell("trusts of uploads", lambda: {"made": len(made), "left": len(left)})
