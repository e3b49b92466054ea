/** A bucket of S3 or a compatible server, with the prefix of its keys. */
export interface S3Config {
  kind: "s3";
  bucket: string;
  /** Prefix of every key; empty, or ends with a slash. */
  prefix: string;
  region: string;
  /** URL of an S3-compatible server; undefined for Amazon S3. */
  endpoint: string | undefined;
  /** Whether the bucket is part of the path instead of the host name. */
  forcePathStyle: boolean;
}
