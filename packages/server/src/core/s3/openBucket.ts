import { assertInstalled } from "../featurePackages.ts";
import type { Bucket } from "./bucket.ts";
import type { S3Timeouts } from "./s3Client.ts";
import type { S3Config } from "./s3Config.ts";

/** Opens a bucket. The S3 client is loaded by the first call, because it is large. Throws MissingPackageError without it. */
export async function openBucket(config: S3Config, timeouts?: S3Timeouts): Promise<Bucket> {
  assertInstalled("@purse/s3", "A bucket of S3");
  const { Bucket } = await import("./bucket.ts");
  return new Bucket(config, timeouts);
}
