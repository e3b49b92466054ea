import { createHash } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";

/** The path of the frame in which the studio's JavaScript console runs scripts. */
const SCRIPT_SANDBOX_PATH = "/studio/script-sandbox";

/**
 * Starts the source that the parent sends first as a worker, and gives it the port of the parent. The worker has the
 * policy and the opaque origin of the frame, and neither a document nor a location that it could change.
 */
const BOOTSTRAP = `addEventListener("message", function start({ source, data, ports }) {
  if (source !== parent || parent === self || ports.length !== 1) return;
  removeEventListener("message", start);
  const url = URL.createObjectURL(new Blob([data], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.onerror = ({ message }) => console.error(message);
  worker.postMessage(null, [ports[0]]);
});`;

const DOCUMENT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Script sandbox</title></head><body><script>${BOOTSTRAP}</script></body></html>`;

/**
 * Scripts may be evaluated here, and nowhere else on this server. They have an opaque origin, so no access to cookies,
 * storage and documents of the studio, and cannot connect to anything: the studio sends their requests.
 */
const POLICY = [
  "sandbox allow-scripts",
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(BOOTSTRAP).digest("base64")}' 'unsafe-eval'`,
  "worker-src blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
};

/** The document of the studio's script sandbox. */
export const scriptSandbox: FastifyPluginAsync = async (app) => {
  app.get(SCRIPT_SANDBOX_PATH, (_, reply) => reply.headers(HEADERS).send(DOCUMENT));
};
