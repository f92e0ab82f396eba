/** The primary group of every user: `staff` on macOS, `users` on some Linux systems. */
const sharedGroups: Readonly<Record<string, number>> = { darwin: 20, linux: 100 };

export interface GroupOfUser {
  readonly gid: number | undefined;
  readonly platform: string;
}

/** Whether a group is the user's own, with no other member: most systems give each user one. */
export function isOwnGroup(
  gid: number,
  user: GroupOfUser = { gid: process.getegid?.(), platform: process.platform },
): boolean {
  return gid === user.gid && gid !== sharedGroups[user.platform];
}
