import type { S3Config } from "../core/s3/s3Config.ts";

/** Storage of files. */
export type FilesStoreConfig = { kind: "disk" } | S3Config;

/** Parses `disk` or `s3://bucket/prefix?region=…&endpoint=…&forcePathStyle=1`. Throws Error that says what is allowed. */
export function parseFilesStore(text: string): FilesStoreConfig {
  if (text === "disk") return { kind: "disk" };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const unknown = [...(url?.searchParams.keys() ?? [])].find((key) => !S3_KEYS.includes(key));
  if (url?.protocol !== "s3:" || url.hostname === "" || url.username !== "" || unknown !== undefined) {
    throw new Error("it must be disk, or s3://bucket/prefix?region=…&endpoint=https://…&forcePathStyle=1");
  }
  const endpoint = url.searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !isPlainWebUrl(endpoint)) {
    throw new Error("its endpoint must be an http:// or https:// URL without a user name and password");
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  return {
    kind: "s3",
    bucket: url.hostname,
    prefix: prefix === "" ? "" : `${prefix}/`,
    region: url.searchParams.get("region") ?? "us-east-1",
    endpoint,
    forcePathStyle: ["1", "true"].includes(url.searchParams.get("forcePathStyle") ?? "0"),
  };
}

function isPlainWebUrl(text: string): boolean {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

const S3_KEYS: readonly string[] = ["region", "endpoint", "forcePathStyle"];

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Parses a size to bytes: `20mb`, `512 kb`, `1048576`. Throws Error that says what is allowed. */
export function parseSize(text: string): number {
  const [, number, unit = "b"] =
    /^(\d{1,12}(?:\.\d{1,6})?)\s*(b|kb|mb|gb)?$/.exec(text.trim().toLowerCase()) ?? [];
  if (number === undefined) throw new Error("it must be a size such as 20mb, 512kb or 1048576");
  return Math.floor(Number(number) * (UNITS[unit] ?? 1));
}
