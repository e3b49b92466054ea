import { Passkeys } from "@purse/client";
import { Passkeys as PasskeyList } from "@purse/ui";
import { proveFactor } from "../../access/passkeyProof.ts";
import { useStudioList } from "../../components/useStudioQuery.ts";
import { useOperator, useStudio } from "../../StudioContext.tsx";

/** The passkeys of the signed-in operator. */
export function OwnPasskeys() {
  const studio = useStudio();
  const { hasSecondFactor } = useOperator();
  const passkeys = useStudioList("/passkeys", {});
  return (
    <PasskeyList
      query={passkeys}
      isSupported={Passkeys.isSupported()}
      needsPassword
      needsCode={hasSecondFactor}
      add={async (name, { password, code }) => {
        const proof = hasSecondFactor ? await proveFactor(studio, code) : {};
        const { options } = await studio.post("/passkeys/registration", { password, ...proof });
        await studio.post("/passkeys", { name, credential: await Passkeys.createCredential(options) });
      }}
      rename={(id, name) => studio.put("/passkeys/:id", { id, name })}
      remove={(id, password) => studio.delete("/passkeys/:id", { id, password })}
    />
  );
}
