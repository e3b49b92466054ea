import { createReadStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { ErrorCode } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { sendReply } from "../core/http/reply.ts";
import { targetBelow } from "../core/http/requestTarget.ts";
import { IMMUTABLE } from "../core/http/sendContent.ts";
import type { PackageFile, PackageFiles } from "./packageFiles.ts";
import { type PackageSource, PackagesUnavailableError } from "./packageSource.ts";

export interface OwnPackagesDependencies {
  source: PackageSource;
  /** The URL below which all paths of this server are, as the client of a request knows it. */
  baseUrlOf(message: IncomingMessage): string;
}

const PATH = "/packages";

/**
 * Hands out the packages of this server's version below `/packages`: `npm install URL/packages/client.tgz` installs the
 * client, and pages without a build import `/packages/client.js`. Nothing is read or built before the first request.
 */
export function createOwnPackages(dependencies: OwnPackagesDependencies): FastifyPluginAsync {
  let loading: Promise<PackageFiles> | undefined;
  const load = () => {
    loading ??= import("./packageFiles.ts").then((module) => new module.PackageFiles(dependencies.source));
    return loading;
  };

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const files = await load();
    const name = targetBelow(request, PATH)?.path.slice(1);
    const baseUrl = `${dependencies.baseUrlOf(request.raw)}${PATH}`;
    try {
      if (name === "") {
        const listing = JSON.stringify(await files.list(baseUrl), null, 2);
        return sendReply(reply, {
          status: 200,
          body: `${listing}\n`,
          headers: { "cache-control": "no-cache" },
        });
      }
      const file = name === undefined ? undefined : await files.find(name, baseUrl);
      if (file) return sendFile(request, reply, file);
    } catch (error) {
      if (!(error instanceof PackagesUnavailableError)) throw error;
      return sendReply(reply, failure(503, ErrorCode.INTERNAL_SERVER_ERROR, error.message));
    }
    const found = `There are ${files.names.join(", ")}`;
    return sendReply(reply, failure(404, ErrorCode.OBJECT_NOT_FOUND, `There is no such package. ${found}`));
  }

  return async (app) => {
    for (const url of [PATH, `${PATH}/*`]) app.get(url, { exposeHeadRoute: true }, handle);
  };
}

function failure(status: number, code: number, error: string) {
  return { status, body: JSON.stringify({ code, error }) };
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, size, integrity, type, isHashed }: PackageFile,
): FastifyReply {
  const etag = `"${integrity.slice("sha512-".length, 50)}"`;
  reply.headers({
    etag,
    "cache-control": isHashed ? IMMUTABLE : "no-cache",
    "content-type": type,
    "x-content-type-options": "nosniff",
    "repr-digest": `sha-512=:${integrity.slice("sha512-".length)}:`,
  });
  // Manifests contain the host.
  if (!isHashed) reply.header("vary", "host");
  const known = String(request.headers["if-none-match"] ?? "").split(/\s*,\s*/);
  if (known.some((each) => each === "*" || each.replace(/^W\//, "") === etag)) return reply.code(304).send();
  reply.header("content-length", size);
  return reply.send(Buffer.isBuffer(content) ? content : createReadStream(content.path));
}
