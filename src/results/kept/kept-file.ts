import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file without a name: it is unlinked as soon as it is open, so nothing of it is left after any death of this process, and
 * no other process can open it. Appended to, and read by place.
 */
export interface KeptFile {
  readonly size: number;
  /** Resolves with the place where they begin. Rejects if the disk is full, and then nothing more can be written. */
  append(pieces: readonly Uint8Array[]): Promise<number>;
  read(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

let made = 0;

/** Rejects if the directory cannot be written to. It has to be the user's own. */
export async function openKeptFile(directory: string): Promise<KeptFile> {
  const path = join(directory, `kept-${process.pid}-${Date.now().toString(36)}-${++made}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return createKeptFile(handle);
}

function createKeptFile(handle: FileHandle): KeptFile {
  let size = 0;

  async function write(piece: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < piece.length; ) {
      const { bytesWritten } = await handle.write(piece, done, piece.length - done, at + done);
      done += bytesWritten;
    }
  }

  return {
    get size() {
      return size;
    },
    async append(pieces) {
      const begin = size;
      // Before anything is written: another result may be appended during the write.
      size += pieces.reduce((sum, { length }) => sum + length, 0);
      let at = begin;
      for (const piece of pieces) {
        await write(piece, at);
        at += piece.length;
      }
      return begin;
    },
    async read(at, length) {
      const bytes = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await handle.read(bytes, done, length - done, at + done);
        if (bytesRead === 0) throw new Error('the file is shorter than what was written');
        done += bytesRead;
      }
      return bytes;
    },
    close: () => handle.close(),
  };
}
