import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Ends connections on which nothing has moved for `ms`: silent ones, and those whose answers nobody reads. While the
 * server works on an answer nothing is ended, however long it takes. Returns what is to be told of each answer.
 */
export function dropUnread(server: Server, ms: number): (response: ServerResponse) => void {
  const answers = new WeakMap<Socket, ServerResponse>();
  server.setTimeout(ms, (socket: Socket) => {
    const answer = answers.get(socket);
    if (answer && !answer.headersSent && !answer.closed) socket.setTimeout(ms);
    else socket.destroy();
  });
  return (response) => {
    if (response.socket) answers.set(response.socket, response);
  };
}
