import { join } from "node:path";
import { defineModule, type SettingInputsOf } from "@purse/kernel";
import { isPublicAddress } from "@purse/outbound";
import { isInstalled } from "../../core/featurePackages.ts";
import { BROWSER_METHODS } from "../../core/http/methods.ts";
import { mount } from "../../core/http/mount.ts";
import { respondOrStream } from "../../core/http/reply.ts";
import { openBucket } from "../../core/s3/openBucket.ts";
import { IPFS_PATH } from "../../data/fileUrls.ts";
import { FILE_URLS, HTTP, REPORT, SHARED_SETTINGS } from "../../module/tokens.ts";
import { IMAGES } from "../images/token.ts";
import { createIpfsGateway } from "./gateway.ts";
import type { Ipfs } from "./ipfs.ts";
import { NO_CONTENT } from "./noContent.ts";
import { pinRoutes } from "./pinRoutes.ts";
import { PinService } from "./pinService.ts";
import { createUriReader } from "./readUri.ts";
import { ipfsSettings } from "./settings.ts";
import { IPFS } from "./token.ts";
import { uploadFolder } from "./uploadFolder.ts";

/** The IPFS content of this server, which is stored where files are, and the configured Kubo node or gateway. */
export const ipfs = defineModule({
  name: "ipfs",
  provides: IPFS,
  needs: { shared: SHARED_SETTINGS, report: REPORT, fileUrls: FILE_URLS, images: IMAGES, http: HTTP },
  settings: ipfsSettings,
  async open({ settings, facts, shared, report, fileUrls, images, http }) {
    const { ipfsRpcUrl: kuboRpc, ipfsGateway: gateway } = settings;
    const { filesStore, maxUploadSize } = shared;
    const content = isInstalled("@purse/ipfs") ? await openContent() : NO_CONTENT;
    const pins = new PinService(content);
    const serve = createIpfsGateway(content, images, http.clientAddressOf);
    return {
      service: {
        content,
        fetchContent: createUriReader({
          ipfs: content,
          ownGateway: fileUrls.gateway(),
          gateway,
          kuboRpc,
          isAllowed: shared.allowPrivateMetadata ? () => true : isPublicAddress,
        }),
        uploadFolder: (data, reserve) =>
          uploadFolder(
            { ipfs: content, gateway: fileUrls.gateway(), maxFileBytes: maxUploadSize, reserve },
            data,
          ),
      },
      routes: pinRoutes(pins),
      async publicHttp(app) {
        mount(app, IPFS_PATH, { method: BROWSER_METHODS }, (reply, path, search) =>
          respondOrStream(reply, (message, response) => serve(message, response, path, search)),
        );
      },
      async adminRoutes() {
        const { pinAdminRoutes } = await import("./adminRoutes.ts");
        return pinAdminRoutes(pins);
      },
      stop: () => content.stop(),
    };

    async function openContent(): Promise<Ipfs> {
      const [{ openIpfs }, { BucketContent }] = await Promise.all([
        import("./ipfs.ts"),
        import("./bucketContent.ts"),
      ]);
      const bucket =
        filesStore.kind === "disk"
          ? undefined
          : new BucketContent({
              openBucket: () => openBucket(filesStore),
              report: (error) => report(error, "IPFS content in the file store"),
            });
      return openIpfs({ folder: join(facts.dataDir, "ipfs"), kuboRpc, bucket });
    }
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof ipfsSettings> {}
}
