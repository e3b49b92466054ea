import { type Config, openBucket, Valkey } from "@purse/server";
import { type Finding, failure, messageOf, ok } from "./finding.ts";

const S3_TIMEOUTS = { connect: 2_000, request: 8_000, idle: 8_000 };

/** The buckets of files and backups: they exist, and can be read with the credentials. */
export async function checkBuckets({ filesStore, backupsStore }: Config): Promise<Finding[]> {
  const stores = [
    { area: "files", setting: "PURSE_FILES_STORE", store: filesStore },
    { area: "backups", setting: "PURSE_BACKUPS_STORE", store: backupsStore },
  ];
  const checks = stores.map(async ({ area, setting, store }): Promise<Finding[]> => {
    if (store?.kind !== "s3") return [];
    try {
      const bucket = await openBucket(store, S3_TIMEOUTS);
      await bucket.list("", 1);
      return [ok(area, `S3: the bucket ${store.bucket} can be read`)];
    } catch (error) {
      const advice = `Check ${setting}, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and whether the bucket exists.`;
      return [failure(area, `S3: the bucket ${store.bucket} cannot be read: ${messageOf(error)}`, advice)];
    }
  });
  return (await Promise.all(checks)).flat();
}

export async function checkValkey({ valkeyUrl, appId }: Config): Promise<Finding[]> {
  if (valkeyUrl === undefined) return [];
  const ignore = () => undefined;
  const prefix = `purse:${appId}:`;
  const valkey = await Valkey.open({ url: valkeyUrl, prefix, logger: { info: ignore, warn: ignore } });
  const reason = valkey.unavailableReason();
  valkey.close();
  if (reason === undefined) return [ok("Valkey", `${new URL(valkeyUrl).host} accepts commands`)];
  return [
    failure("Valkey", reason, "Check host, port, user, password and TLS (valkeys://) of PURSE_VALKEY_URL."),
  ];
}
