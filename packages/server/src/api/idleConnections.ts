import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes connections that have been idle for `ms`: silent ones, and those whose clients do not read their responses.
 * While the server works on a response its connection stays open. Returns a function that has to be called with each
 * response.
 */
export function closeIdleConnections(server: Server, ms: number): (response: ServerResponse) => void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.setTimeout(ms, (socket: Socket) => {
    const response = responses.get(socket);
    if (response && !response.headersSent && !response.closed) socket.setTimeout(ms);
    else socket.destroy();
  });
  return (response) => {
    if (response.socket) responses.set(response.socket, response);
  };
}
