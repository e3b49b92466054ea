import { currentTheme, setTheme, subscribeToTheme } from "@purse/ui";
import { useEffect } from "react";
import { useSession, useStudio } from "../StudioContext.tsx";

/** Shows the studio in the theme that the operator has chosen on any device, and stores another choice. */
export function useOperatorTheme(): void {
  const studio = useStudio();
  const state = useSession()?.state;
  const operator = state?.state === "signedIn" ? state.operator : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session has the theme of the sign-in, which is applied once.
  useEffect(() => {
    if (!operator) return undefined;
    if (operator.theme !== undefined) setTheme(operator.theme);
    let stored = currentTheme();
    return subscribeToTheme(() => {
      const theme = currentTheme();
      if (theme === stored) return;
      stored = theme;
      studio.put("/preferences", { theme }).catch(() => {
        // The choice lasts in this browser.
      });
    });
  }, [operator?.id, studio]);
}
