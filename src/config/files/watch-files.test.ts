import {
  appendFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import { until } from '../../../test/support/until.js';
import { watchFiles } from './watch-files.js';
import { watchedDirectories } from './watched-directories.js';

const limitMs = 2_000;

/** Watches a file that has just been made by `prepare`. */
async function watching(prepare: (dir: string) => string = plainFile, isSilent?: () => boolean) {
  const dir = temporaryDirectory();
  const file = prepare(dir);
  let changes = 0;
  const files = watchFiles(() => void changes++, isSilent);
  onTestFinished(() => files.close());
  await files.watch([file]);
  return {
    dir,
    file,
    count: () => changes,
    expectNoticed: async (edit: () => void | Promise<void>) => {
      const before = changes;
      const elapsed = startStopwatch();
      await edit();
      await until(() => changes > before, { what: 'a notice of the change' });
      expect(elapsed()).toBeLessThan(limitMs);
    },
  };
}

function plainFile(dir: string): string {
  const file = path.join(dir, 'c.json');
  writeFileSync(file, 'one');
  return file;
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

describe('a change is noticed within 2 s if the file', () => {
  test('is written, several times', async () => {
    const { file, expectNoticed } = await watching();
    await expectNoticed(() => writeFileSync(file, 'two'));
    await expectNoticed(() => writeFileSync(file, 'six'));
  });

  test('is replaced by another, as editors do, several times', async () => {
    const { file, expectNoticed } = await watching();
    for (const text of ['two', 'six', 'ten']) await expectNoticed(() => replace(file, text));
  });

  test('is deleted and created again', async () => {
    const { file, expectNoticed } = await watching();
    await expectNoticed(() => unlinkSync(file));
    await expectNoticed(() => writeFileSync(file, 'two'));
    await expectNoticed(() => writeFileSync(file, 'six'));
  });

  test('becomes a directory, and a file again', async () => {
    const { file, expectNoticed } = await watching();
    await expectNoticed(() => {
      unlinkSync(file);
      mkdirSync(file);
    });
    await expectNoticed(() => {
      rmSync(file, { recursive: true });
      writeFileSync(file, 'two');
    });
  });

  test('is in a directory that is created later, or replaced', async () => {
    const { dir, file, expectNoticed } = await watching((made) => path.join(made, 'a', 'b', 'c.json'));
    const create = () => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, 'one');
    };
    await expectNoticed(create);
    await expectNoticed(() => writeFileSync(file, 'two'));
    await expectNoticed(() => {
      renameSync(path.join(dir, 'a', 'b'), path.join(dir, 'old'));
      create();
    });
    await expectNoticed(() => writeFileSync(file, 'six'));
  });

  test('is on a file system that does not notify', async () => {
    const { file, expectNoticed } = await watching(plainFile, () => true);
    await expectNoticed(() => writeFileSync(file, 'two'));
    await expectNoticed(() => replace(file, 'six'));
    await expectNoticed(() => unlinkSync(file));
  });

  describe('is reached by a link and', () => {
    posixOnly('links need a privilege on Windows');

    function linked(dir: string): string {
      for (const [name, text] of [
        ['one', '1'],
        ['two', '2'],
      ] as const) {
        mkdirSync(path.join(dir, name));
        writeFileSync(path.join(dir, name, 'c.json'), text);
      }
      mkdirSync(path.join(dir, 'links'));
      symlinkSync(path.join('..', 'one'), path.join(dir, 'links', 'current'));
      symlinkSync(path.join('current', 'c.json'), path.join(dir, 'links', 'c.json'));
      return path.join(dir, 'links', 'c.json');
    }

    test('what it leads to is written or replaced', async () => {
      const { dir, expectNoticed } = await watching(linked);
      await expectNoticed(() => writeFileSync(path.join(dir, 'one', 'c.json'), '11'));
      await expectNoticed(() => replace(path.join(dir, 'one', 'c.json'), '111'));
    });

    test('a link on the way leads elsewhere, where it is edited then', async () => {
      const { dir, expectNoticed } = await watching(linked);
      await expectNoticed(() => {
        symlinkSync(path.join('..', 'two'), path.join(dir, 'links', 'next'));
        renameSync(path.join(dir, 'links', 'next'), path.join(dir, 'links', 'current'));
      });
      await expectNoticed(() => writeFileSync(path.join(dir, 'two', 'c.json'), '22'));
    });

    test('leads to itself, until it does not', async () => {
      const { file, expectNoticed } = await watching((dir) => {
        symlinkSync('c.json', path.join(dir, 'c.json'));
        return path.join(dir, 'c.json');
      });
      await expectNoticed(() => {
        unlinkSync(file);
        writeFileSync(file, 'one');
      });
    });
  });
});

test('a directory further up that is renamed is noticed, if not so soon', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { dir, file, count } = await watching((made) => {
    mkdirSync(path.join(made, 'a', 'b'), { recursive: true });
    return plainFile(path.join(made, 'a', 'b'));
  });
  renameSync(path.join(dir, 'a'), path.join(dir, 'old'));
  vi.advanceTimersByTime(10_000);
  await until(() => count() === 1);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, 'two');
  await until(() => count() === 2);
});

test('a file that is written in pieces is noticed once more after the last of them', async () => {
  const { file, count, expectNoticed } = await watching();
  await expectNoticed(async () => {
    for (let piece = 0; piece < 20; piece++) {
      appendFileSync(file, 'piece');
      await wait(10);
    }
  });
  const before = count();
  appendFileSync(file, 'last');
  await until(() => count() > before);
  // Not a notice per piece.
  expect(count()).toBeLessThan(10);
});

test('other files in the same directory, and files that are not watched any more, are not noticed', async () => {
  const { dir, file, count } = await watching();
  writeFileSync(path.join(dir, 'other.json'), 'x');
  const marker = path.join(dir, 'marker.json');
  let isNoticed = false;
  const files = watchFiles(() => {
    isNoticed = true;
  });
  onTestFinished(() => files.close());
  await files.watch([file]);
  await files.watch([marker]);
  writeFileSync(marker, 'x');
  await until(() => isNoticed);
  expect(count()).toBe(0);
});

test('a change of a file that is watched already is found although others are added at that moment', async () => {
  const { dir, file, count } = await watching();
  const added = path.join(dir, 'added.env');
  let changes = 0;
  const files = watchFiles(() => void changes++);
  onTestFinished(() => files.close());
  expect(await files.watch([file])).toBe(true);
  expect(await files.watch([file])).toBe(false);
  writeFileSync(file, 'two');
  expect(await files.watch([file, added])).toBe(true);
  await until(() => changes === 1 && count() === 1);
});

test('a change that is being looked at while others are added is noticed as soon as any other', async () => {
  const dir = temporaryDirectory();
  const many = Array.from({ length: 50 }, (_, index) => path.join(dir, `${index}.json`));
  for (const file of many) writeFileSync(file, 'one');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let changes = 0;
  const files = watchFiles(() => void changes++);
  onTestFinished(() => files.close());
  await files.watch(many);
  const timers = vi.getTimerCount();
  const turnsUntil = async (isTrue: () => boolean) => {
    while (!isTrue()) await turn();
  };
  writeFileSync(many.at(-1) ?? '', 'two');
  await turnsUntil(() => vi.getTimerCount() > timers);
  // It begins to look at fifty files; the one that is added is looked at sooner.
  vi.advanceTimersByTime(150);
  expect(await files.watch([...many, path.join(dir, 'added.json')])).toBe(true);
  expect(changes).toBe(0);
  await turnsUntil(() => changes > 0);
  expect(changes).toBe(1);
});

test('the directories of a path are those of its links and of what it leads to', () => {
  posixOnly('links need a privilege on Windows');
  const dir = realpathSync(temporaryDirectory());
  mkdirSync(path.join(dir, 'real'));
  symlinkSync('real', path.join(dir, 'link'));
  const found = watchedDirectories([path.join(dir, 'link', 'missing', 'c.json')]);
  expect([...found].map(([at, names]) => [path.relative(dir, at), [...names]])).toEqual([
    ['', ['link']],
    ['real', ['missing']],
  ]);
});
