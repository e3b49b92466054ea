import { Installation } from "@purse/client";

/**
 * Whether this browser receives the server's messages. `blocked`: its user has refused notifications of this site.
 * `unsupported`: it has no Web Push, which on iPhones needs the installed app.
 */
export type PushState = "on" | "off" | "blocked" | "unsupported";

export async function pushState(): Promise<PushState> {
  const registration = await registrationOf();
  if (!registration || !("Notification" in window)) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return (await registration.pushManager.getSubscription()) ? "on" : "off";
}

/**
 * Asks the user for permission, subscribes this browser, and gives the server its subscription. `publicKey` is the VAPID key
 * of the server, base64url. Does nothing if the user refuses.
 */
export async function enablePush(publicKey: string, language: string): Promise<void> {
  const registration = await registrationOf();
  if (!registration || (await Notification.requestPermission()) !== "granted") return;
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  try {
    const installation = await Installation.currentInstallation();
    await installation.save({
      deviceToken: JSON.stringify(subscription),
      localeIdentifier: language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
  } catch (error) {
    // The switch is on only if the server has the subscription.
    await subscription.unsubscribe();
    throw error;
  }
}

/** Ends the subscription of this browser, here and at the server. */
export async function disablePush(): Promise<void> {
  const installation = await Installation.currentInstallation();
  installation.unset("deviceToken");
  await installation.save();
  const subscription = await (await registrationOf())?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

async function registrationOf(): Promise<ServiceWorkerRegistration | undefined> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return undefined;
  // There is no service worker while developing.
  if (!import.meta.env.PROD) return undefined;
  return navigator.serviceWorker.ready;
}
