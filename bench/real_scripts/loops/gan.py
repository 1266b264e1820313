"""pytorch/examples dcgan: the discriminator's two backwards and step, then the generator's; samples in eval mode."""

import torch
from stopwatch_inside import Stopwatch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

netG = nn.Sequential(nn.Linear(64, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())
netD = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
loader = DataLoader(TensorDataset(torch.randn(2_560, 784)), batch_size=64, shuffle=True)
watch = Stopwatch()
for epoch in range(3):
    for (real,) in watch.batches(loader):
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        netD.zero_grad()
        criterion(netD(real), ones).backward()
        fake = netG(torch.randn(len(real), 64))
        criterion(netD(fake.detach()), zeros).backward()
        optimizerD.step()
        netG.zero_grad()
        criterion(netD(fake), ones).backward()
        optimizerG.step()
        watch.iteration()
    with watch.part("checkpoint"):
        torch.save(netG.state_dict(), f"netG_epoch_{epoch}.pth")
    with watch.part("checkpoint"):
        torch.save(netD.state_dict(), f"netD_epoch_{epoch}.pth")
watch.write()
