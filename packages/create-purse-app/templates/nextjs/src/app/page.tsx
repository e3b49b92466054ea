import { PurseApp } from "./PurseApp";

export default function Page() {
  return <PurseApp />;
}
