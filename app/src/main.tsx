import { MoralisProvider } from "@purse/react";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app.css";
import { ErrorState } from "./design/states.tsx";
import { ToastArea } from "./design/Toasts.tsx";
import { router } from "./router.tsx";
import { SettingsContext } from "./SettingsContext.tsx";
import { loadSettings } from "./settings.ts";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);

try {
  const settings = await loadSettings();
  root.render(
    <StrictMode>
      <SettingsContext value={settings}>
        <MoralisProvider appId={settings.appId} serverUrl={settings.serverUrl}>
          <ToastArea>
            <RouterProvider router={router} />
          </ToastArea>
        </MoralisProvider>
      </SettingsContext>
    </StrictMode>,
  );
} catch (error) {
  root.render(<ErrorState error={error} retry={() => window.location.reload()} />);
}
