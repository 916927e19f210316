// This browser's part of Web Push: whether it supports it, and its subscription. The service worker ends it at the
// sign-out.
import { describeUserAgent } from '~/features/profile/device-name';

import { addPushDevice, removePushDevice, type PushDevice, type PushSettings } from './api/push';

/** Why this browser can show no notifications, or `ready`. */
export type PushSupport = 'ready' | 'denied' | 'needs-install' | 'unsupported';

/** The person or the browser refused the permission, or there is no service worker. */
export class PushDeniedError extends Error {}

export function pushSupport(): PushSupport {
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  // Safari on iPhone and iPad offers push messages only to apps on the home screen.
  if (!isSupported) return isAppleTouchDevice() ? 'needs-install' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'ready';
}

function isAppleTouchDevice(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  // An iPad calls itself a Mac, but a Mac has no touch screen.
  return /iPhone|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

async function currentSubscription(): Promise<PushSubscription | null> {
  if (pushSupport() !== 'ready') return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** The device of this browser, if it is subscribed for the signed-in person. */
export async function findOwnDevice(devices: PushDevice[]): Promise<PushDevice | undefined> {
  const subscription = await currentSubscription();
  if (!subscription) return undefined;
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint));
  const hash = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return devices.find((device) => device.endpoint_hash === hash);
}

/** Asks for the permission and subscribes this browser. Browsers accept this only after a click. */
export async function activatePush({ public_key: publicKey }: PushSettings): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new PushDeniedError();
  const registration = await navigator.serviceWorker.getRegistration();
  // Development builds have no service worker.
  if (!registration) throw new PushDeniedError();
  const { pushManager } = registration;
  // A subscription for an earlier key of the portal, or of another person, is replaced.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await addPushDevice(subscription.toJSON(), describeUserAgent(navigator.userAgent).name);
}

/** Removes a device, at the server and, if it is this browser, also here. */
export async function removeDevice(device: PushDevice): Promise<void> {
  const isOwn = (await findOwnDevice([device])) !== undefined;
  await removePushDevice(device.id);
  if (isOwn) await (await currentSubscription())?.unsubscribe();
}
