import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevChain, startDevChain } from "@purse/devchain";
import { type LimitedDisk, limitedDisk } from "../../support/limitedDisk.ts";
import { newDatabase, type PostgresServer, startPostgres } from "../../support/postgresServer.ts";
import { restoreChainSnapshot } from "../../support/purse.ts";
import { type S3Server, startS3Server } from "../../support/s3Server.ts";
import { startValkey, type ValkeyServer } from "../../support/valkeyServer.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhookReceiver.ts";

/** What the nodes of a long run share, besides their network. */
export interface Services {
  postgres: PostgresServer;
  /** The disk of the database; undefined where none of a limited size can be had. */
  databaseDisk: LimitedDisk | undefined;
  databaseUrl: string;
  valkey: ValkeyServer;
  s3: S3Server;
  chain: DevChain;
  receiver: WebhookReceiver;
  stop(): Promise<void>;
}

/** The database must have room for itself and a run, and be full quickly. */
const DATABASE_DISK_MB = 400;
const SMALL_LOG = ["min_wal_size=32MB", "max_wal_size=64MB", "checkpoint_timeout=30s"];

export async function startServices(): Promise<Services> {
  const databaseDisk = limitedDisk(DATABASE_DISK_MB);
  const postgres = await startPostgres({ durable: true, more: SMALL_LOG, within: databaseDisk?.folder });
  const [valkey, s3, receiver] = [await startValkey(), await startS3Server(), await startWebhookReceiver()];
  const chainFolder = mkdtempSync(join(tmpdir(), "purse-chaos-chain-"));
  restoreChainSnapshot(join(chainFolder, "devchain"));
  const chain = await startDevChain({ port: 0, dataDir: join(chainFolder, "devchain") });
  return {
    postgres,
    databaseDisk,
    databaseUrl: await newDatabase(postgres.url),
    valkey,
    s3,
    chain,
    receiver,
    async stop() {
      process.kill(-chain.pid, "SIGCONT");
      await chain.stop();
      rmSync(chainFolder, { recursive: true, force: true });
      valkey.thaw();
      await valkey.kill();
      await s3.stop();
      await receiver.close();
      await postgres.stop();
      databaseDisk?.remove();
    },
  };
}
