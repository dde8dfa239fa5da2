/**
 * A bare fastify server that sends the same bytes as the service: `node bare-server.mjs`, which prints its address. POST / takes
 * `{ status, headers, body }`, which all other requests get from then on.
 */
import { fastify } from "fastify";

const server = fastify({ return503OnClosing: false });
let sent;
server.post("/", (request, reply) => {
  sent = request.body;
  reply.code(204).send();
});
const answer = (_request, reply) => reply.code(sent.status).headers(sent.headers).send(sent.body);
server.get("/*", answer);
server.post("/*", answer);
console.log(await server.listen({ host: "127.0.0.1", port: 0 }));
