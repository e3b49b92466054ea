import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useTexts } from "../../texts/TextsContext.tsx";
import { useSession } from "../StudioContext.tsx";
import { SessionExpiredDialog } from "./SessionExpiredDialog.tsx";
import { SetUp } from "./SetUp.tsx";
import { SignIn } from "./SignIn.tsx";
import { StudioBrand } from "./StudioBrand.tsx";

/** Shows the studio to operators alone. Where a session ends, what they were doing stays as it is behind the sign-in. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { t } = useTexts();
  const session = useSession();
  const queryClient = useQueryClient();
  const state = session?.state;
  const operator = state?.state === "signedIn" ? state.operator.id : undefined;
  // What one operator has read is not shown to the next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another operator is what it is for.
  useEffect(() => () => queryClient.clear(), [operator, queryClient]);
  if (!session || !state) return null;
  if (state.state === "signedIn") {
    return (
      <>
        <div key={operator}>{children}</div>
        {session.isExpired && <SessionExpiredDialog username={state.operator.username} />}
      </>
    );
  }
  return (
    <main className="door">
      <p className="brand">
        <StudioBrand />
      </p>
      <div className="card stack">
        {state.state === "setup" ? (
          <SetUp />
        ) : (
          <>
            <h1>{t("Sign in to the studio")}</h1>
            <SignIn />
            <p className="soft small">{t("For operators only. App users can't sign in here.")}</p>
          </>
        )}
      </div>
    </main>
  );
}
