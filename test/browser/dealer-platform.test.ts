import { expect, test } from 'vitest';
import { LivePage, platformStage } from '../support/dealer-platform.js';
import { chromiumPath, launch } from './chromium.js';

const executable = chromiumPath();

test.skipIf(executable === undefined)(
  'the page of the dealer platform shows 30 lots live, takes bids, and tells who leads',
  { timeout: 600_000 },
  async () => {
    await using stage = await platformStage();
    const { sandbox, lot } = stage;
    const platform = await stage.start();
    const browser = await launch(executable ?? '');
    const others = Array.from({ length: 38 }, (_, n) => new LivePage(platform.url, `token-${n + 3}`));
    const wrong: string[] = [];
    const opened = async (token: string) => {
      const page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(300_000);
      page.on('pageerror', (error) => wrong.push(error.message));
      await page.goto(`${platform.url}/login/${token}`);
      await page.getByText('Live for').waitFor();
      return page;
    };
    try {
      const [asha, ravi] = [await opened('token-1'), await opened('token-2')];
      const standing = (value: string) => `#${lot.id}[data-standing=${value}]`;
      for (const page of [asha, ravi]) {
        await page.locator(standing('no_bid')).waitFor();
        await expect.poll(() => page.locator('#lots li').count(), { timeout: 300_000 }).toBe(30);
      }
      await asha.locator(`#${lot.id} button`).click();
      await asha.locator(standing('leading')).waitFor();
      await asha.locator(`#${lot.id} [role=status]`, { hasText: 'Accepted' }).waitFor();
      const highest = (amount: string) =>
        ravi.locator(`#${lot.id} .now`, { hasText: `Highest bid ${amount}` });
      await highest('₹1,02,500').waitFor();
      // The amount that a buyer has typed stays while the lot changes.
      const input = ravi.locator(`#${lot.id} input`);
      expect(await input.inputValue()).toBe('1,07,500');
      await input.fill('₹1,17,500');
      await input.blur();
      sandbox.actors.rival.bid(lot.id, '107500');
      await highest('₹1,07,500').waitFor();
      expect(await input.inputValue()).toBe('₹1,17,500');
      await ravi.locator(`#${lot.id} button`).click();
      await Promise.all([
        asha.locator(standing('outbid')).waitFor(),
        ravi.locator(standing('leading')).waitFor(),
      ]);
      await Promise.all(
        others.map((page) => page.until(({ id, highest }) => id === lot.id && highest === '117500.00')),
      );
      sandbox.auctions.close('evening');
      sandbox.actors.bank.approve(lot.id);
      await ravi.getByText(/^You won .+ for ₹1,17,500\.$/).waitFor();
      await asha.locator(`#${lot.id} button:disabled`).waitFor();
      expect(await asha.locator('#wins li').count()).toBe(0);
      expect(wrong).toEqual([]);
    } finally {
      for (const page of others) page.close();
      await browser.close();
      await platform.close();
    }
  },
);

test.skipIf(executable === undefined)(
  'the page of the dealer platform fits a phone and a desktop, and is legible in light and dark mode',
  { timeout: 600_000 },
  async () => {
    await using stage = await platformStage();
    const platform = await stage.start();
    const browser = await launch(executable ?? '');
    try {
      for (const [width, columns] of [
        [390, 1],
        [1280, 4],
      ] as const) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
          const page = await context.newPage();
          page.setDefaultTimeout(300_000);
          const problems: string[] = [];
          page.on('console', (message) => problems.push(message.text()));
          await page.goto(`${platform.url}/login/token-1`);
          await expect.poll(() => page.locator('#lots li').count(), { timeout: 300_000 }).toBe(30);
          const { overflow, tops, page: ground, card, text } = await page.evaluate<Measured>(measure);
          expect(overflow).toBeLessThanOrEqual(0);
          expect(tops.filter((top) => top === tops[0])).toHaveLength(columns);
          expect(brightness(ground) < 0.5).toBe(colorScheme === 'dark');
          for (const color of text) {
            expect(contrast(color, card), `${color} on ${card}`).toBeGreaterThan(4.5);
          }
          expect(problems).toEqual([]);
          await context.close();
        }
      }
    } finally {
      await browser.close();
      await platform.close();
    }
  },
);

interface Measured {
  /** Pixels that are wider than the window. */
  readonly overflow: number;
  readonly tops: readonly number[];
  readonly page: string;
  readonly card: string;
  readonly text: readonly string[];
}

/** Runs in the browser. */
const measure = `(() => {
  const styleOf = (selector) => getComputedStyle(document.querySelector(selector));
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    tops: [...document.querySelectorAll('#lots li')].map((lot) => lot.getBoundingClientRect().top),
    page: styleOf('body').backgroundColor,
    card: styleOf('#lots li').backgroundColor,
    text: ['#lots h2', '.standing', '.now', '.now b', '[role=status]'].map((each) => styleOf(each).color),
  };
})()`;

/** Relative luminance of a color such as `rgb(30, 33, 38)`, from 0 to 1, as WCAG defines it. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [brightness(one), brightness(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}
