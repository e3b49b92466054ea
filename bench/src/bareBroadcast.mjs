// The physical limit of a fan-out: a request comes in, its body goes out to every socket.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";

const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
const http = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  for (const client of sockets.clients) client.send(text);
  response.end("{}");
});
http.on("upgrade", (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (client) => client.on("message", () => undefined));
});
http.listen(Number(process.argv[2]), "127.0.0.1", () => console.log("ready"));
