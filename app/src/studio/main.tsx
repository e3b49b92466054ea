import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./studio.css";
import { ToastArea } from "../design/Toasts.tsx";
import { explainMissingCode } from "../notLoaded.ts";
import { createQueryClient } from "../query/queryClient.ts";
import { StartFailure } from "../StartFailure.tsx";
import { TextsArea } from "../texts/TextsContext.tsx";
import { loadTexts } from "../texts/text.ts";
import { RequireSession } from "./access/RequireSession.tsx";
import { StudioApi, StudioRequestError } from "./api.ts";
import { router } from "./router.tsx";
import { StudioContext } from "./StudioContext.tsx";

const container = document.getElementById("root");
if (!container) throw new Error("studio.html has no #root");
const root = createRoot(container);
const studio = new StudioApi();
const queryClient = createQueryClient({
  staleTime: 5_000,
  refetchOnWindowFocus: true,
  // Only network errors are retried.
  retry: (failures, error) => failures < 2 && error instanceof StudioRequestError && error.status === 0,
});

explainMissingCode();
// Session and translations load in parallel, so that errors are translated too.
const started = studio.loadSession().then(
  () => undefined,
  (error: unknown) => ({ error }),
);
const texts = await loadTexts("studio");
const failure = await started;
root.render(
  <StrictMode>
    <TextsArea part="studio" first={texts}>
      {failure ? (
        <StartFailure error={failure.error} />
      ) : (
        <StudioContext value={studio}>
          <QueryClientProvider client={queryClient}>
            <ToastArea>
              <RequireSession>
                <RouterProvider router={router} />
              </RequireSession>
            </ToastArea>
          </QueryClientProvider>
        </StudioContext>
      )}
    </TextsArea>
  </StrictMode>,
);
