/** Make, model, kind, category, fuel, and a used price in rupees: plausible, and invented. */
export const models = [
  ['Maruti Suzuki', 'Swift VXI', 'Hatchback', 'car', 'Petrol', 385_000],
  ['Maruti Suzuki', 'Baleno Delta', 'Hatchback', 'car', 'Petrol', 465_000],
  ['Maruti Suzuki', 'Wagon R LXI', 'Hatchback', 'car', 'CNG', 290_000],
  ['Maruti Suzuki', 'Ertiga ZDI', 'MUV', 'car', 'Diesel', 610_000],
  ['Maruti Suzuki', 'Dzire VDI', 'Sedan', 'car', 'Diesel', 420_000],
  ['Hyundai', 'Creta SX', 'SUV', 'car', 'Diesel', 845_000],
  ['Hyundai', 'Grand i10 Sportz', 'Hatchback', 'car', 'Petrol', 355_000],
  ['Hyundai', 'Verna Fluidic', 'Sedan', 'car', 'Diesel', 480_000],
  ['Mahindra', 'Bolero B6', 'SUV', 'car', 'Diesel', 560_000],
  ['Mahindra', 'Scorpio S5', 'SUV', 'car', 'Diesel', 780_000],
  ['Mahindra', 'XUV500 W8', 'SUV', 'car', 'Diesel', 725_000],
  ['Mahindra', 'Bolero Pik-Up', 'Pickup', 'commercial', 'Diesel', 510_000],
  ['Tata', 'Nexon XZ', 'SUV', 'car', 'Petrol', 640_000],
  ['Tata', 'Tiago XT', 'Hatchback', 'car', 'Petrol', 330_000],
  ['Tata', 'Ace Gold', 'Mini truck', 'commercial', 'Diesel', 285_000],
  ['Tata', 'LPT 1613', 'Truck', 'commercial', 'Diesel', 985_000],
  ['Tata', 'Signa 2823.K', 'Tipper', 'commercial', 'Diesel', 2_150_000],
  ['Ashok Leyland', 'Dost Plus', 'Mini truck', 'commercial', 'Diesel', 410_000],
  ['Ashok Leyland', 'Ecomet 1615', 'Truck', 'commercial', 'Diesel', 1_120_000],
  ['Eicher', 'Pro 2095', 'Truck', 'commercial', 'Diesel', 930_000],
  ['BharatBenz', '2823R', 'Truck', 'commercial', 'Diesel', 1_875_000],
  ['Bajaj', 'RE Compact', 'Auto rickshaw', 'three_wheeler', 'CNG', 125_000],
  ['Piaggio', 'Ape Xtra LDX', 'Cargo three-wheeler', 'three_wheeler', 'Diesel', 140_000],
  ['Toyota', 'Innova Crysta GX', 'MUV', 'car', 'Diesel', 1_240_000],
  ['Honda', 'City V', 'Sedan', 'car', 'Petrol', 570_000],
  ['Honda', 'Activa 6G', 'Scooter', 'two_wheeler', 'Petrol', 42_000],
  ['Hero', 'Splendor Plus', 'Motorcycle', 'two_wheeler', 'Petrol', 38_000],
  ['Bajaj', 'Pulsar 150', 'Motorcycle', 'two_wheeler', 'Petrol', 51_000],
  ['Royal Enfield', 'Classic 350', 'Motorcycle', 'two_wheeler', 'Petrol', 98_000],
  ['TVS', 'Jupiter', 'Scooter', 'two_wheeler', 'Petrol', 40_000],
  ['Kia', 'Seltos HTK', 'SUV', 'car', 'Petrol', 890_000],
  ['Renault', 'Kwid RXT', 'Hatchback', 'car', 'Petrol', 245_000],
  ['John Deere', '5050D', 'Tractor', 'farm', 'Diesel', 480_000],
  ['Mahindra', '575 DI', 'Tractor', 'farm', 'Diesel', 415_000],
] as const;

/** State code of the plate, region, cities with yards. */
export const regions = [
  ['KA', 'Karnataka', ['Bengaluru', 'Hubballi', 'Mysuru']],
  ['MH', 'Maharashtra', ['Pune', 'Nagpur', 'Thane']],
  ['TN', 'Tamil Nadu', ['Chennai', 'Coimbatore', 'Madurai']],
  ['GJ', 'Gujarat', ['Ahmedabad', 'Rajkot', 'Surat']],
  ['DL', 'Delhi', ['Okhla', 'Narela']],
  ['RJ', 'Rajasthan', ['Jaipur', 'Jodhpur']],
  ['UP', 'Uttar Pradesh', ['Lucknow', 'Kanpur', 'Ghaziabad']],
  ['WB', 'West Bengal', ['Kolkata', 'Siliguri']],
  ['KL', 'Kerala', ['Kochi', 'Kozhikode']],
  ['HR', 'Haryana', ['Gurugram', 'Karnal']],
] as const;

export const yardNames = [
  'Sai Logistics Yard',
  'Shree Parking Yard',
  'National Stockyard',
  'Unity Vehicle Park',
] as const;

export const conditions = [
  'Running',
  'Running, minor dents',
  'Not started since possession',
  'Accidental, front',
  'Tyres worn',
] as const;

export const remarks = [
  '',
  'RC to follow',
  'Key not available',
  'Duplicate RC applied',
  'Hypothecation to be cancelled by buyer',
] as const;

/** An auction that is invented as a whole. */
export interface AuctionRow {
  readonly label: string;
  readonly name: string;
  readonly bidType: 'open' | 'closed';
  readonly legacy?: boolean;
  /** Rupees. */
  readonly increment: number;
  /** Minutes from the start of the sandbox. */
  readonly opens: number;
  /** Minutes from the start of the sandbox. */
  readonly closes: number;
  readonly lots: number;
  readonly cancelled?: boolean;
  readonly unassigned?: boolean;
  readonly otherBank?: boolean;
  /** Whether the rival has bid on some of its lots. */
  readonly rivals?: boolean;
}

/** The auctions of `small`: who owns them, when they run, and how many lots they hold. */
export const auctions = [
  {
    label: 'live-open',
    name: 'Southern Four-Wheeler Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -120,
    closes: 240,
    lots: 40,
  },
  {
    label: 'live-closed',
    name: 'Repossession Sealed Sale',
    bidType: 'closed',
    increment: 2_500,
    opens: -180,
    closes: 150,
    lots: 30,
  },
  {
    label: 'live-legacy',
    name: 'Branch Legacy Sale',
    bidType: 'open',
    legacy: true,
    increment: 1_000,
    opens: -60,
    closes: 180,
    lots: 12,
  },
  {
    label: 'live-no-grid',
    name: 'Two-Wheeler Free Sale',
    bidType: 'open',
    increment: 0,
    opens: -90,
    closes: 300,
    lots: 8,
  },
  {
    label: 'upcoming',
    name: 'Commercial Vehicle Weekly',
    bidType: 'open',
    increment: 10_000,
    opens: 1_440,
    closes: 1_800,
    lots: 28,
  },
  {
    label: 'over',
    name: 'Western Region Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -4_320,
    closes: -2_880,
    lots: 15,
  },
  {
    label: 'over-closed',
    name: 'Northern Sealed Sale',
    bidType: 'closed',
    increment: 2_500,
    opens: -5_760,
    closes: -4_320,
    lots: 10,
  },
  {
    label: 'cancelled',
    name: 'Withdrawn Fleet Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -120,
    closes: 240,
    lots: 3,
    cancelled: true,
  },
  {
    label: 'unassigned',
    name: 'Invited Dealers Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -120,
    closes: 240,
    lots: 4,
    unassigned: true,
  },
  {
    label: 'other-bank',
    name: 'Other Bank Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -120,
    closes: 240,
    lots: 4,
    otherBank: true,
  },
] as const satisfies readonly AuctionRow[];

/** Twenty auctions with 5,000 lots: those of `small`, grown, and as many again. Rivals have bid on some of the lots. */
export const busyAuctions: readonly AuctionRow[] = [
  ...grown({
    'live-open': 600,
    'live-closed': 450,
    'live-legacy': 150,
    'live-no-grid': 120,
    upcoming: 300,
    over: 250,
    'over-closed': 200,
    cancelled: 40,
    unassigned: 60,
    'other-bank': 80,
  }),
  {
    label: 'live-commercial',
    name: 'Fleet and Tipper Sale',
    bidType: 'open',
    increment: 10_000,
    opens: -300,
    closes: 360,
    lots: 300,
    rivals: true,
  },
  {
    label: 'live-two-wheelers',
    name: 'Two-Wheeler Bulk Sale',
    bidType: 'open',
    increment: 500,
    opens: -600,
    closes: 480,
    lots: 500,
    rivals: true,
  },
  {
    label: 'live-farm',
    name: 'Tractor Sealed Sale',
    bidType: 'closed',
    increment: 2_500,
    opens: -240,
    closes: 720,
    lots: 200,
    rivals: true,
  },
  {
    label: 'live-closing',
    name: 'Last Call Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -1_430,
    closes: 10,
    lots: 150,
    rivals: true,
  },
  {
    label: 'live-just-opened',
    name: 'Morning Yard Sale',
    bidType: 'open',
    increment: 2_500,
    opens: 0,
    closes: 600,
    lots: 250,
  },
  {
    label: 'live-closed-long',
    name: 'Eastern Sealed Sale',
    bidType: 'closed',
    increment: 5_000,
    opens: -2_880,
    closes: 2_880,
    lots: 250,
    rivals: true,
  },
  {
    label: 'upcoming-closed',
    name: 'Month-End Sealed Sale',
    bidType: 'closed',
    increment: 2_500,
    opens: 2_880,
    closes: 3_240,
    lots: 200,
  },
  {
    label: 'upcoming-soon',
    name: 'Afternoon Two-Wheeler Sale',
    bidType: 'open',
    increment: 500,
    opens: 30,
    closes: 270,
    lots: 350,
  },
  {
    label: 'over-sold',
    name: 'Last Week Main Sale',
    bidType: 'open',
    increment: 5_000,
    opens: -11_520,
    closes: -10_080,
    lots: 300,
    rivals: true,
  },
  {
    label: 'over-legacy',
    name: 'Branch Legacy Clearance',
    bidType: 'open',
    legacy: true,
    increment: 1_000,
    opens: -7_200,
    closes: -5_760,
    lots: 250,
    rivals: true,
  },
];

/** The auctions of `small` with so many lots each, and rivals in those that are live. */
function grown(lots: Readonly<Record<string, number>>): AuctionRow[] {
  return auctions.map((row: AuctionRow) => ({
    ...row,
    lots: lots[row.label] ?? row.lots,
    rivals: row.label.startsWith('live-'),
  }));
}
