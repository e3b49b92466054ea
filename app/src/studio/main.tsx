import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./studio.css";
import { ErrorState } from "../design/states.tsx";
import { ToastArea } from "../design/Toasts.tsx";
import { explainMissingCode } from "../notLoaded.ts";
import { TextsArea } from "../texts/TextsContext.tsx";
import { loadTexts } from "../texts/text.ts";
import { Door } from "./access/Door.tsx";
import { StudioApi, StudioFailure } from "./api.ts";
import { router } from "./router.tsx";
import { StudioContext } from "./StudioContext.tsx";

const container = document.getElementById("root");
if (!container) throw new Error("studio.html has no #root");
const root = createRoot(container);
const studio = new StudioApi();
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the server has refused it refuses again.
      retry: (failures, error) => failures < 2 && error instanceof StudioFailure && error.status === 0,
    },
  },
});

explainMissingCode();
try {
  const [texts] = await Promise.all([loadTexts("studio"), studio.load()]);
  root.render(
    <StrictMode>
      <TextsArea part="studio" first={texts}>
        <StudioContext value={studio}>
          <QueryClientProvider client={queries}>
            <ToastArea>
              <Door>
                <RouterProvider router={router} />
              </Door>
            </ToastArea>
          </QueryClientProvider>
        </StudioContext>
      </TextsArea>
    </StrictMode>,
  );
} catch (error) {
  root.render(<ErrorState error={error} retry={() => window.location.reload()} />);
}
