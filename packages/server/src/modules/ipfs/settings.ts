import { setting } from "@purse/kernel";
import { webUrl } from "../../config/settingTypes.ts";

const group = "IPFS and NFT metadata";

/** Where IPFS content is besides this server. */
export const ipfsSettings = {
  ipfsGateway: setting(webUrl().optional(), {
    group,
    description: "IPFS gateway, such as https://host/ipfs, for NFT metadata that this server does not store.",
    isSecret: true,
  }),
  ipfsRpcUrl: setting(webUrl().optional(), {
    group,
    description:
      "RPC URL of a Kubo node, such as http://host:5001, that pins content of this server and is used instead of a gateway.",
    isSecret: true,
    package: "@purse/ipfs",
  }),
};
