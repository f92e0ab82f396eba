// Starts a program and copies what it is sent and what it answers: what a process between a client and the workbench costs at least.
import { spawn } from 'node:child_process';

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.on('data', (bytes) => child.stdin.write(bytes)).on('end', () => child.stdin.end());
child.stdout.on('data', (bytes) => process.stdout.write(bytes));
child.once('close', (code) => process.exit(code ?? 1));
