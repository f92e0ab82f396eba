/**
 * Watches how much longer than on a machine of its own the work of this process takes. The returned function says so for
 * the time since: 1 if it always had a core, 10 if it had a tenth of one.
 */
export function watchSlowness(): () => number {
  const loop = performance.eventLoopUtilization();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const { active } = performance.eventLoopUtilization(loop);
    return Math.max(1, active / Math.max(1, (user + system) / 1_000));
  };
}
