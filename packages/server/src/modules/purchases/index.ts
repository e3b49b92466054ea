import { defineModule, type SettingInputsOf, setting } from "@purse/kernel";
import { flag, text } from "../../config/settingTypes.ts";
import { OBJECTS } from "../../module/tokens.ts";
import { createVerifyReceipt } from "./appStore.ts";
import { productRules } from "./productRules.ts";
import { purchaseRoute } from "./purchaseRoute.ts";

const SETTINGS = {
  appStoreBundleId: setting(text().optional(), {
    group: "Server",
    description:
      "Bundle ID of the app whose App Store receipts are accepted. If unset, receipts of any app are accepted in development and with `compatibility` parse, and none in production.",
  }),
  appStoreSandbox: setting(flag().optional(), {
    group: "Server",
    description:
      "1 also accepts App Store receipts of test purchases, such as those of testers and of Apple's review. Default: 1 in development and with `compatibility` parse, 0 in production.",
  }),
};

/** Purchases in apps: products, and the validation of receipts of the App Store. */
export const purchases = defineModule({
  name: "purchases",
  needs: { objects: OBJECTS },
  settings: SETTINGS,
  classes: ({ facts }) => [productRules(facts)],
  open({ settings, facts, objects }) {
    const trustsReceipts = facts.environment === "development" || facts.compatibility === "parse";
    const { appStoreBundleId: bundleId, appStoreSandbox: allowsSandbox = trustsReceipts } = settings;
    return {
      routes: [
        purchaseRoute({
          objects,
          verifyReceipt: createVerifyReceipt({ allowsSandbox }),
          bundleId,
          acceptsAnyApp: trustsReceipts,
        }),
      ],
    };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof SETTINGS> {}
}
