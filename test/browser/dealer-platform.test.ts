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
      const raised = String(Number(lot.startingPrice) + 5_000);
      await ravi.locator(`#${lot.id} .now`, { hasText: lot.startingPrice }).waitFor();
      await ravi.locator(`#${lot.id} input`).fill(raised);
      await ravi.locator(`#${lot.id} button`).click();
      await Promise.all([
        asha.locator(standing('outbid')).waitFor(),
        ravi.locator(standing('leading')).waitFor(),
      ]);
      await Promise.all(
        others.map((page) => page.until(({ id, highest }) => id === lot.id && highest === `${raised}.00`)),
      );
      sandbox.auctions.close('evening');
      sandbox.actors.bank.approve(lot.id);
      await ravi.getByText(`You won ${lot.id}`).waitFor();
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
