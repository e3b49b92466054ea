import "./app.css";
import { registerConnector } from "@purse/client";
import { MoralisProvider } from "@purse/react";
import {
  handleChunkErrors,
  keepFocus,
  loadTranslator,
  requestFont,
  StartFailure,
  ToastProvider,
  TranslationProvider,
} from "@purse/ui";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { CATALOGS } from "./i18n/catalogs.ts";
import { router } from "./router.tsx";
import { SettingsContext } from "./SettingsContext.tsx";
import { registerServiceWorker } from "./serviceWorker.ts";
import { loadSettings } from "./settings.ts";
import { DEVELOPMENT_WALLET } from "./wallet/developmentWalletName.ts";
import { registerWalletLibraries } from "./wallet/walletLibraries.ts";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);

/** The app uses no plugins, so starting the client sends no request. */
const NO_PLUGINS: [] = [];

requestFont();
handleChunkErrors();
keepFocus();
registerWalletLibraries();
// Loads the page code in parallel with the settings.
void router.load();
// Settings and translations load in parallel, so errors are translated too.
const pendingSettings = loadSettings().catch((error: unknown) => ({ error }));
const translator = await loadTranslator(CATALOGS);
const settings = await pendingSettings;
if (!("error" in settings) && settings.development) {
  registerConnector(DEVELOPMENT_WALLET, async () =>
    (await import("./wallet/developmentWallet.ts")).developmentConnector(settings),
  );
}
root.render(
  <StrictMode>
    <TranslationProvider catalogs={CATALOGS} initial={translator}>
      {"error" in settings ? (
        <StartFailure error={settings.error} />
      ) : (
        <SettingsContext value={settings}>
          <MoralisProvider
            appId={settings.appId}
            serverUrl={settings.serverUrl}
            {...(settings.javascriptKey !== undefined && { jsKey: settings.javascriptKey })}
            plugins={NO_PLUGINS}
          >
            <ToastProvider>
              <RouterProvider router={router} />
            </ToastProvider>
          </MoralisProvider>
        </SettingsContext>
      )}
    </TranslationProvider>
  </StrictMode>,
);

if (import.meta.env.PROD) registerServiceWorker();
